public import Foundation

/// What a transfer moved, and what it could not.
public struct TransferSummary: Hashable, Sendable {
  /// Bookmarks and folders.
  public var bookmarks = 0
  /// Items of the reading list.
  public var readingListItems = 0
  /// Visits.
  public var historyVisits = 0
  /// Extensions.
  public var extensions = 0
  /// How many objects were left out, by reason.
  public var skipped: [String: Int] = [:]
  /// The transfer's token, the same on both devices; nil before the two have met.
  public var token: UUID?
  /// An empty one.
  public init() {}
  /// How many objects were left out.
  public var skippedCount: Int { skipped.values.reduce(0, +) }

  mutating func skip(_ reason: String) { skipped[reason, default: 0] += 1 }
}
