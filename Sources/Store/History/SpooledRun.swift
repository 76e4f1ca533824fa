package import BrowsingData
internal import SQLite

/// A run of the history's logs as it was captured for a transfer, encoded for the wire.
package struct SpooledRun: Sendable {
  /// The log that it is a run of.
  package var log: ChangeLog
  /// The cursor that holds once it is committed.
  package var last: Int64
  /// What `ImportOptions.encodeHistory` made of it.
  package var frame: [UInt8]
}

extension RecordStore {
  /// The next run above these cursors in the order of capture, in which pages come before the visits that name them; nil
  /// when there is none. Throws `wrongCursor` for a cursor inside of a run.
  package func spooledRun(after cursors: [ChangeLog: Int64]) throws -> SpooledRun? {
    try reading {
      var next: (number: Int64, log: ChangeLog)?
      for log in [ChangeLog.pages, .visits] {
        guard let cursor = cursors[log] else { continue }
        let find = try statement(
          "SELECT no, first FROM spool INDEXED BY spool_end WHERE log = ?1 AND last > ?2 ORDER BY last LIMIT 1")
        try find.bind(1, Int64(log.rawValue))
        try find.bind(2, cursor)
        defer { find.reset() }
        guard try find.step() else { continue }
        guard find.int64(1) == cursor else { throw StoreError.wrongCursor(log) }
        if next.map({ find.int64(0) < $0.number }) ?? true { next = (find.int64(0), log) }
      }
      guard let next else { return nil }
      let read = try statement("SELECT last, frame FROM spool WHERE no = ?1")
      try read.bind(1, next.number)
      defer { read.reset() }
      guard try read.step(), let frame = read.bytes(1) else { return nil }
      return SpooledRun(log: next.log, last: read.int64(0), frame: frame)
    }
  }

  /// Where a log of the spool ends; 0 when it holds none of it.
  func spoolEnd(of log: ChangeLog) throws -> Int64 {
    let read = try statement("SELECT max(last) FROM spool INDEXED BY spool_end WHERE log = ?1")
    try read.bind(1, Int64(log.rawValue))
    defer { read.reset() }
    return try read.step() ? read.int64(0) : 0
  }
}
