package import BrowsingData
internal import Glibc
internal import SQLite

/// One import, capture, transfer, sync, edit or undo: what `undo` can take back.
package struct JournalEntry: Hashable, Sendable {
  /// What made it. The raw value is the file's number.
  package enum Kind: Int64, Sendable, Hashable {
    /// A file or profile that was imported.
    case file = 1
    /// A source read for a transfer.
    case capture = 2
    /// What another device sent.
    case transfer = 3
    /// An entry that was taken back.
    case undo = 4
    /// What a paired device sent.
    case sync = 5
    /// A change by this device's person.
    case edit = 6
    /// Records of this store into a profile.
    case delivery = 7
  }
  /// Its number: ascending, never given twice.
  package var number: Int64
  /// When it began.
  package var at: Timestamp
  /// What made it.
  package var kind: Kind
  /// What a person knows it by: a file's name, a profile, a device.
  package var label: String
  /// The transfer's token, 16 bytes.
  package var token: [UInt8]?
  /// What it did, by type.
  package var figures: [DataType: ApplyReport.Figures]
  /// Whether it is complete.
  package var isDone: Bool
  /// The entry that took it back.
  package var undoneBy: Int64?
  /// Whether it is so old that what it changed is no longer known: it cannot be taken back.
  package var isPruned = false
  /// The row sequences it began after and ended with.
  package var sequences: ClosedRange<Int64>
}

extension RecordStore {
  /// The journal, newest first.
  package func journal() throws -> [JournalEntry] {
    try mapping {
      let read = try statement("\(RecordStore.journalColumns) ORDER BY entry DESC")
      var entries: [JournalEntry] = []
      while try read.step() { entries.append(RecordStore.journalEntry(read)) }
      return entries
    }
  }

  /// One entry of the journal; nil when there is none.
  package func journalEntry(_ number: Int64) throws -> JournalEntry? {
    try mapping {
      let read = try statement("\(RecordStore.journalColumns) WHERE entry = ?1")
      try read.bind(1, number)
      defer { read.reset() }
      return try read.step() ? RecordStore.journalEntry(read) : nil
    }
  }

  /// The entry of a transfer; nil when it has brought nothing yet.
  package func journalEntry(token: [UInt8]) throws -> JournalEntry? {
    try mapping {
      let read = try statement("\(RecordStore.journalColumns) WHERE token = ?1")
      try read.bind(1, token)
      defer { read.reset() }
      return try read.step() ? RecordStore.journalEntry(read) : nil
    }
  }

  /// The number of the newest entry, 0 when there is none.
  func newestEntry() throws -> Int64 {
    let read = try statement("SELECT max(entry) FROM journal")
    defer { read.reset() }
    return try read.step() ? read.int64(0) : 0
  }

  private static let journalColumns =
    "SELECT entry, at, kind, label, token, report, done, undone, first_seq, last_seq, pruned FROM journal"

  private static func journalEntry(_ row: Statement) -> JournalEntry {
    let first = row.int64(8)
    return JournalEntry(
      number: row.int64(0), at: Timestamp(microseconds: row.int64(1)),
      kind: JournalEntry.Kind(rawValue: row.int64(2)) ?? .file, label: row.text(3) ?? "", token: row.bytes(4),
      figures: FigureCodec.decode(row.bytes(5) ?? []), isDone: row.int64(6) == 1, undoneBy: row.optionalInt64(7),
      isPruned: row.int64(10) == 1, sequences: first...max(first, row.int64(9)))
  }

  /// Begins an entry. Only inside `writing`.
  func beginEntry(_ kind: JournalEntry.Kind, label: String, token: [UInt8]?, at: Timestamp) throws -> Int64 {
    let insert = try statement(
      """
      INSERT INTO journal(entry, at, kind, label, token, first_seq, last_seq)
      VALUES ((SELECT coalesce(max(entry), 0) + 1 FROM journal), ?1, ?2, ?3, ?4, ?5, ?5)
      """)
    try insert.bind(1, at.microseconds)
    try insert.bind(2, kind.rawValue)
    try insert.bind(3, label)
    try insert.bind(4, token)
    try insert.bind(5, counters?.sequence ?? 0)
    try insert.run()
    return database.lastInsertedRow
  }

  /// Writes what an entry has done so far. Only inside `writing`.
  func updateEntry(_ entry: Int64, _ report: ApplyReport, isDone: Bool) throws {
    let update = try statement("UPDATE journal SET last_seq = ?2, report = ?3, done = ?4 WHERE entry = ?1")
    try update.bind(1, entry)
    try update.bind(2, counters?.sequence ?? 0)
    try update.bind(3, FigureCodec.encode(report.types))
    try update.bind(4, isDone ? 1 : 0)
    try update.run()
  }
}

/// Figures as text: a line for each type, its number and seven figures, of which older stores have six.
enum FigureCodec {
  static func encode(_ types: [DataType: ApplyReport.Figures]) -> [UInt8] {
    let lines = types.sorted { $0.key < $1.key }.map { type, figures in
      [
        Int(type.rawValue), figures.found, figures.added, figures.changed, figures.unchanged, figures.skipped,
        figures.conflicts, figures.removed,
      ].map(String.init).joined(separator: " ")
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  static func decode(_ bytes: [UInt8]) -> [DataType: ApplyReport.Figures] {
    var types: [DataType: ApplyReport.Figures] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      guard numbers.count >= 7, let type = UInt8(exactly: numbers[0]).flatMap(DataType.init(rawValue:)) else {
        continue
      }
      var figures = ApplyReport.Figures()
      (figures.found, figures.added, figures.changed) = (numbers[1], numbers[2], numbers[3])
      (figures.unchanged, figures.skipped, figures.conflicts) = (numbers[4], numbers[5], numbers[6])
      if numbers.count > 7 { figures.removed = numbers[7] }
      types[type] = figures
    }
    return types
  }
}

/// The wall clock, where a caller gives no time.
package enum WallClock {
  /// Now.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000)
  }
}
