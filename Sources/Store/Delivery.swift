package import BrowsingData
internal import SQLite

/// What the journal knows of a delivery into a profile.
package struct DeliveryEntry: Hashable, Sendable {
  /// The journal entry's number.
  package var entry: Int64
  /// The profile's folder.
  package var profile: String
  /// By which the profile's editor finds the visits that were new.
  package var mark: String?
  /// The files that changed; nil when the delivery was cut before its end.
  package var files: [ChangedFile]?
}

/// A record that a delivery added to a profile or changed there.
package struct DeliveredRecord: Hashable, Sendable {
  /// Its kind as the profile has it: what proposes an extension is a bookmark.
  package var type: DataType
  /// The profile's own id of it.
  package var foreignID: String
  /// The profile's own id of the folder it is in, or a root's name; bookmarks alone have one.
  package var folder: String?
  /// What it was before; nil of a new one.
  package var before: Record?
  /// What the delivery made of it.
  package var after: Record

  /// From its parts.
  package init(type: DataType, foreignID: String, folder: String? = nil, before: Record?, after: Record) {
    self.type = type
    self.foreignID = foreignID
    self.folder = folder
    self.before = before
    self.after = after
  }
}

extension RecordStore {
  /// Begins a delivery, before anything of the profile changes; its entry's number.
  package func beginDelivery(label: String, profile: String, now: Timestamp = WallClock.now) throws -> Int64 {
    try writingDurably {
      let entry = try beginEntry(.delivery, label: label, token: nil, at: now)
      let insert = try statement("INSERT INTO delivery(entry, profile) VALUES (?1, ?2)")
      try insert.bind(1, entry)
      try insert.bind(2, profile)
      try insert.run()
      return entry
    }
  }

  /// Notes what is about to be written, so that it can be taken back even if the delivery is cut right after.
  package func noteDelivery(_ entry: Int64, _ records: [DeliveredRecord], mark: String?) throws {
    try writingDurably {
      let insert = try statement("INSERT OR REPLACE INTO delivered VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      for record in records {
        guard let id = record.after.id else { continue }
        try insert.bind(1, entry)
        try insert.bind(2, Int64(record.type.rawValue))
        try insert.bind(3, record.foreignID)
        try insert.bind(4, id.bytes)
        try insert.bind(5, record.folder)
        try insert.bind(6, record.before.map { sealed($0, record.type, id) })
        try insert.bind(7, sealed(record.after, record.type, id))
        try insert.run()
        insert.reset()
      }
      let update = try statement("UPDATE delivery SET mark = ?2 WHERE entry = ?1")
      try update.bind(1, entry)
      try update.bind(2, mark)
      try update.run()
    }
  }

  /// Everything is in the profile.
  package func finishDelivery(_ entry: Int64, _ report: ApplyReport, files: [ChangedFile]) throws {
    try writingDurably {
      let update = try statement("UPDATE delivery SET files = ?2 WHERE entry = ?1")
      try update.bind(1, entry)
      try update.bind(2, ChangedFileCodec.encode(files))
      try update.run()
      try updateEntry(entry, report, isDone: true)
    }
  }

  /// Nothing of the profile has changed: there is no such delivery.
  package func abandonDelivery(_ entry: Int64) throws {
    try writing {
      for table in ["delivered", "delivery", "journal"] {
        let delete = try statement("DELETE FROM \(table) WHERE entry = ?1")
        try delete.bind(1, entry)
        try delete.run()
      }
    }
  }

  /// The newest entry that can be taken back, or the one with this number; `noSuchEntry` when there is none.
  package func entryToTakeBack(_ number: Int64? = nil) throws -> JournalEntry {
    let candidates = try journal().filter { $0.kind != .undo && $0.undoneBy == nil && !$0.isPruned }
    let found = number == nil ? candidates.first : candidates.first { $0.number == number }
    guard let found else { throw StoreError.noSuchEntry }
    return found
  }

  /// What is known of a delivery; nil when the entry is none.
  package func delivery(_ entry: Int64) throws -> DeliveryEntry? {
    try mapping {
      let read = try statement("SELECT profile, mark, files FROM delivery WHERE entry = ?1")
      try read.bind(1, entry)
      defer { read.reset() }
      guard try read.step() else { return nil }
      return DeliveryEntry(
        entry: entry, profile: read.text(0) ?? "", mark: read.text(1),
        files: read.text(2).map(ChangedFileCodec.decode))
    }
  }

  /// The records of a delivery.
  package func deliveredRecords(_ entry: Int64) throws -> [DeliveredRecord] {
    try mapping {
      let read = try statement(
        "SELECT type, foreign_id, rid, folder, before, after FROM delivered WHERE entry = ?1 ORDER BY type, foreign_id")
      try read.bind(1, entry)
      var records: [DeliveredRecord] = []
      while try read.step() {
        guard let type = UInt8(exactly: read.int64(0)).flatMap(DataType.init(rawValue:)),
          let bytes = read.bytes(5)
        else { throw StoreError.corrupt }
        let id = try read.requiredRecordID(2)
        guard let after = try opened(bytes, type, id) else { throw StoreError.corrupt }
        records.append(
          DeliveredRecord(
            type: type, foreignID: read.text(1) ?? "", folder: read.text(3),
            before: try read.bytes(4).flatMap { try opened($0, type, id) }, after: after))
      }
      return records
    }
  }

  /// Notes that a delivery was taken back: an entry of its own. What was noted of its records goes.
  package func noteTakenBack(_ entry: JournalEntry, _ report: ApplyReport, now: Timestamp = WallClock.now) throws {
    try writingDurably {
      let undo = try beginEntry(.undo, label: entry.label, token: nil, at: now)
      let mark = try statement("UPDATE journal SET undone = ?2 WHERE entry = ?1")
      try mark.bind(1, entry.number)
      try mark.bind(2, undo)
      try mark.run()
      let delete = try statement("DELETE FROM delivered WHERE entry = ?1")
      try delete.bind(1, entry.number)
      try delete.run()
      try updateEntry(undo, report, isDone: true)
    }
  }

  // MARK: -

  /// The field that stands for a whole record when it is sealed.
  private static let wholeRecord: UInt64 = 0

  private func sealed(_ record: Record, _ type: DataType, _ id: RecordID) -> [UInt8] {
    let bytes = RecordStore.fields(record).encoded
    guard type.isSecret else { return bytes }
    return seal.seal(bytes, type: type, record: id, field: RecordStore.wholeRecord)
  }

  private func opened(_ bytes: [UInt8], _ type: DataType, _ id: RecordID) throws -> Record? {
    let clear =
      type.isSecret ? try seal.open(bytes, type: type, record: id, field: RecordStore.wholeRecord) : bytes
    guard let fields = FieldList(encoded: clear) else { throw StoreError.corrupt }
    return Record(type, id, fields)
  }

  private static func fields(_ record: Record) -> FieldList {
    switch record {
    case .bookmark(let one): RecordContent.fields(one)
    case .readingListItem(let one): RecordContent.fields(one)
    case .browserExtension(let one): RecordContent.fields(one)
    case .login(let one): RecordContent.fields(one)
    case .paymentCard(let one): RecordContent.fields(one)
    case .historyVisit: FieldList()
    }
  }
}

extension FieldList {
  /// Each field's number and length before its value.
  fileprivate var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      bytes.appendVarint(field.number)
      bytes.appendVarint(UInt64(field.value.count))
      bytes += field.value
    }
    return bytes
  }

  /// From those bytes; nil for others.
  fileprivate init?(encoded bytes: [UInt8]) {
    var fields: [Field] = []
    var position = 0
    while position < bytes.count {
      guard let number = bytes.varint(at: &position), let count = bytes.varint(at: &position),
        count <= UInt64(bytes.count - position)
      else { return nil }
      fields.append(Field(number: number, value: Array(bytes[position..<(position + Int(count))])))
      position += Int(count)
    }
    self.init(fields)
  }
}

/// Changed files as text: a line for each, its parts divided by tabs.
enum ChangedFileCodec {
  static func encode(_ files: [ChangedFile]) -> String {
    files.map { file in
      let state = file.state.map { "\($0.size)\t\($0.modified)" } ?? "-\t-"
      return "\(file.name)\t\(file.backup ?? "-")\t\(state)"
    }.joined(separator: "\n")
  }

  static func decode(_ text: String) -> [ChangedFile] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4 else { return nil }
      var state: ChangedFile.State?
      if let size = Int64(parts[2]), let modified = Int64(parts[3]) {
        state = ChangedFile.State(size: size, modified: modified)
      }
      return ChangedFile(name: parts[0], backup: parts[1] == "-" ? nil : parts[1], state: state)
    }
  }
}
