internal import SQLite

/// A state of a store, to be asked later whether it is still the same.
package struct ChangeMark: Hashable, Sendable {
  /// The last row sequence then.
  package internal(set) var sequence: Int64
}

extension RecordStore {
  /// The state of the store now.
  package func changeMark() throws -> ChangeMark { ChangeMark(sequence: try mapping { try storedSequence() }) }

  /// Whether records have changed since, by whomever: reads one row.
  package func hasChanged(since mark: inout ChangeMark) throws -> Bool {
    let now = try changeMark()
    defer { mark = now }
    return now != mark
  }
}
