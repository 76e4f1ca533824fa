internal import BrowsingData
internal import Merge
internal import SQLite

/// The change logs of the record table.
extension RecordStore {
  /// The rows of a log after a sequence; nil when there are none.
  func recordChanges(
    _ log: ChangeLog, after: Int64, maximumRecords: Int, maximumBytes: Int
  ) throws -> ChangeBatch? {
    guard after < sequenceMask else { return nil }
    let read = try database.prepare(
      "SELECT seq, rid, was, body FROM rec WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3")
    try read.bind(1, log.sequences.lowerBound | max(after, 0))
    try read.bind(2, log.sequences.upperBound)
    try read.bind(3, Int64(maximumRecords))
    var parents = BookmarkParentLookup(store: self)
    var records: [ChangedRecord] = []
    var size = 0
    while try read.step() {
      let id = try read.requiredRecordID(1)
      let body = read.bytes(3)
      // The wire writes names and lengths anew: about as much again as a few bytes a field.
      let bytes = (body?.count ?? 0) + 96
      if !records.isEmpty, size + bytes > maximumBytes { break }
      size += bytes
      var change = ChangedRecord.Change.deleted(id)
      if let body {
        let fields = try openedFields(body, log.type, id)
        guard var record = Record(log.type, id, fields) else { throw StoreError.corrupt }
        if case .bookmark(var bookmark) = record {
          guard let place = fields[FieldNumber.place].flatMap({ BookmarkPlace($0) }) else { throw StoreError.corrupt }
          bookmark.parent = try parents.parent(of: id, place.parent)
          bookmark.position = place.order.position
          record = .bookmark(bookmark)
        }
        change = .present(record)
      }
      records.append(ChangedRecord(sequence: read.int64(0) & sequenceMask, was: read.int64(2), change: change))
    }
    guard let last = records.last?.sequence else { return nil }
    return ChangeBatch(log: log, first: max(after, 0), last: last, content: .records(records))
  }

  /// Where a log stands. Inside a read transaction.
  func recordEnding(_ log: ChangeLog) throws -> LogEnd {
    let read = try statement("SELECT seq, rid, body IS NULL FROM rec WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq")
    try read.bind(1, log.sequences.lowerBound)
    try read.bind(2, log.sequences.upperBound)
    var end = LogEnd(cursor: 0, count: 0, digest: DigestSum().digest)
    var sum = DigestSum()
    while try read.step() {
      end.cursor = read.int64(0) & sequenceMask
      guard read.int64(2) == 0 else { continue }
      let id = try read.requiredRecordID(1)
      let hash = ContentHash.digest(id)
      sum.add(high: hash.high, low: hash.low)
      end.count += 1
    }
    end.digest = sum.digest
    return end
  }
}

/// Under which parent a bookmark is shown: nearly always the one it was put under.
private struct BookmarkParentLookup {
  let store: RecordStore
  private var folders: Set<RecordID> = []
  private var shown: [RecordID: RecordID]?

  init(store: RecordStore) { self.store = store }

  mutating func parent(of id: RecordID, _ parent: RecordID) throws -> RecordID {
    if shown == nil {
      if parent.isRoot { return parent }
      if folders.contains(parent) { return parent }
      if try isLivingFolder(parent) {
        folders.insert(parent)
        return parent
      }
      // Its folder is gone: only the whole view says where it went.
      let view = try store.bookmarkRecords().view
      var parents: [RecordID: RecordID] = [:]
      for item in view.items {
        for member in item.members { parents[view.nodes[member].id] = item.parentID }
      }
      shown = parents
    }
    return shown?[id] ?? parent
  }

  private func isLivingFolder(_ id: RecordID) throws -> Bool {
    let read = try store.statement("SELECT body FROM rec WHERE rid = ?1")
    try read.bind(1, id.bytes)
    defer { read.reset() }
    guard try read.step(), let body = read.bytes(0) else { return false }
    return try BodyCodec.values(body)[FieldNumber.kind] == [Bookmark.Kind.folder.rawValue]
  }
}
