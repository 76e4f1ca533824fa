internal import BrowsingData
internal import Foundation
internal import Store

/// How far an import has been handed to its app: what need not be handed on again.
struct ImportMark: Codable, Equatable {
  private var bookmarks: Int64 = 0
  private var readingList: Int64 = 0
  private var extensions: Int64 = 0
  private var visits: Int64 = 0
  private var counts = [0, 0, 0, 0]
  private var skipped: [String: Int] = [:]

  /// Nothing yet.
  init() {}

  /// The sequence of the newest row of a log that has been handed on.
  subscript(log: ChangeLog) -> Int64 {
    get {
      switch log {
      case .bookmarks: bookmarks
      case .readingList: readingList
      case .extensions: extensions
      case .visits: visits
      case .pages, .passwords, .cards, .resources, .forgetRules: 0
      }
    }
    set {
      switch log {
      case .bookmarks: bookmarks = newValue
      case .readingList: readingList = newValue
      case .extensions: extensions = newValue
      case .visits: visits = newValue
      case .pages, .passwords, .cards, .resources, .forgetRules: return
      }
    }
  }

  /// What has been handed on until then.
  var summary: TransferSummary {
    get {
      var summary = TransferSummary()
      guard counts.count == 4 else { return summary }
      (summary.bookmarks, summary.readingListItems) = (counts[0], counts[1])
      (summary.historyVisits, summary.extensions) = (counts[2], counts[3])
      summary.skipped = skipped
      return summary
    }
    set {
      counts = [newValue.bookmarks, newValue.readingListItems, newValue.historyVisits, newValue.extensions]
      skipped = newValue.skipped
    }
  }

  // MARK: - On the disk

  /// The one that a former program has written; nothing, when there is none that can be read.
  init(in home: Home) {
    let data = FileManager.default.contents(atPath: ImportMark.path(in: home))
    self = data.flatMap { try? JSONDecoder().decode(ImportMark.self, from: $0) } ?? ImportMark()
  }

  /// Writes it, whole or not at all.
  func write(in home: Home) throws {
    try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: ImportMark.path(in: home)), options: .atomic)
  }

  private static func path(in home: Home) -> String { home.data + "/handed-on.json" }
}
