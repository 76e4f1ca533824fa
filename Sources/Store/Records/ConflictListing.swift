package import BrowsingData
internal import Merge
internal import SQLite

extension RecordStore {
  /// The values that are not shown and on which nobody has decided, oldest first.
  package func conflicts() throws -> [Conflict] {
    try reading {
      let read = try database.prepare(
        """
        SELECT c.no, c.at, c.rid, c.field, c.value, c.type, rec.body
        FROM conflict_log AS c JOIN rec ON rec.rid = c.rid
        WHERE c.resolved = 0 AND rec.body IS NOT NULL ORDER BY c.no
        """)
      var conflicts: [Conflict] = []
      while try read.step() {
        guard let type = UInt8(exactly: read.int64(5)).flatMap(DataType.init(rawValue:)) else {
          throw StoreError.corrupt
        }
        let id = try read.requiredRecordID(2)
        let field = UInt64(bitPattern: read.int64(3))
        let value = try opened(read.bytes(4) ?? [], field, type, id)
        let shown = try openedFields(read.bytes(6) ?? [], type, id)
        guard (shown[field] ?? []) != value, let name = ConflictText.name(field),
          let record = Record(type, id, shown)
        else { continue }
        conflicts.append(
          Conflict(
            number: read.int64(0), at: Timestamp(microseconds: read.int64(1)), record: record, field: name,
            shown: shown[field].map { ConflictText.text(field, $0) }, value: ConflictText.text(field, value)))
      }
      return conflicts
    }
  }

  /// Decides on a conflict, which is listed no more, as a journal entry that `undo` takes back: the value that is not
  /// shown takes the shown one's place, or, with `keepingShown`, what is shown is said to be right. Other conflicts of
  /// the same record stay.
  package func resolveConflict(_ number: Int64, keepingShown: Bool, now: Timestamp = WallClock.now) throws {
    try writing {
      let read = try statement("SELECT rid, field, value, type, live FROM conflict_log WHERE no = ?1 AND resolved = 0")
      try read.bind(1, number)
      guard try read.step(), let id = RecordID(bytes: read.bytes(0) ?? []),
        let type = UInt8(exactly: read.int64(3)).flatMap(DataType.init(rawValue:))
      else { throw StoreError.noSuchEntry }
      let field = UInt64(bitPattern: read.int64(1))
      let sealed = read.bytes(2) ?? []
      let isLive = read.int64(4) == 1
      read.reset()
      let others = try liveConflicts(of: id, but: number)
      if !keepingShown || isLive {
        let value = keepingShown ? nil : try opened(sealed, field, type, id)
        try decide(value, field, type, id, now)
      }
      // Deciding has made one version of all: what else was listed is still to be decided on.
      let reopen = try statement("UPDATE conflict_log SET resolved = 0 WHERE no = ?1")
      for other in others {
        try reopen.bind(1, other)
        try reopen.run()
      }
      let update = try statement("UPDATE conflict_log SET resolved = 1, live = 0 WHERE no = ?1")
      try update.bind(1, number)
      try update.run()
    }
  }

  private func liveConflicts(of id: RecordID, but number: Int64) throws -> [Int64] {
    let read = try statement("SELECT no FROM conflict_log WHERE rid = ?1 AND live = 1 AND no <> ?2")
    try read.bind(1, id.bytes)
    try read.bind(2, number)
    var numbers: [Int64] = []
    while try read.step() { numbers.append(read.int64(0)) }
    return numbers
  }

  /// Shows a value, or with nil says that what is shown is right.
  private func decide(
    _ value: [UInt8]?, _ field: UInt64, _ type: DataType, _ id: RecordID, _ now: Timestamp
  ) throws {
    let entry = try beginEntry(.file, label: "conflict", token: nil, at: now)
    let table = RecordTable(self, entry: entry, now: now)
    guard let row = try table.row(id), row.body != nil else { throw StoreError.noSuchEntry }
    if let value {
      // No bytes are a field that was taken away; a place is never one.
      var changes = [FieldChange(number: field, value: value.isEmpty ? nil : value)]
      if field == FieldNumber.password {
        changes.append(
          FieldChange(number: FieldNumber.datePasswordChanged, value: FieldList.bigEndian(UInt64(now.microseconds))))
      }
      try table.update(row, changes)
    } else {
      try table.settle(row)
    }
    var report = ApplyReport()
    report[type].found = 1
    report[type].changed = 1
    try updateEntry(entry, report, isDone: true)
  }

  private func opened(_ value: [UInt8], _ field: UInt64, _ type: DataType, _ id: RecordID) throws -> [UInt8] {
    guard FieldNumber.isSealed(field, type) else { return value }
    return try seal.open(value, type: type, record: id, field: field)
  }
}
