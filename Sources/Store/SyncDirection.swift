package import BrowsingData

/// Which way records flow between this device and a paired one. The raw value is the file's number.
package enum SyncDirection: Int64, Sendable, Hashable, CaseIterable {
  /// Both ways.
  case both = 0
  /// From this device only.
  case sendOnly = 1
  /// To this device only.
  case receiveOnly = 2
}

/// A sync that waits for a person: the peer wants more of the records that were here to go than it may without being
/// told to.
package struct SyncHold: Hashable, Sendable {
  /// The kind of record.
  package var type: DataType
  /// How many would go.
  package var affected: Int
  /// Of how many.
  package var existing: Int
  /// Since when.
  package var since: Timestamp

  /// From its parts.
  package init(type: DataType, affected: Int, existing: Int, since: Timestamp) {
    self.type = type
    self.affected = affected
    self.existing = existing
    self.since = since
  }

  var text: String { "\(type.rawValue) \(affected) \(existing) \(since.microseconds)" }

  init?(text: String) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 4, let type = UInt8(exactly: numbers[0]).flatMap(DataType.init(rawValue:)) else {
      return nil
    }
    self.init(
      type: type, affected: Int(numbers[1]), existing: Int(numbers[2]), since: Timestamp(microseconds: numbers[3]))
  }
}
