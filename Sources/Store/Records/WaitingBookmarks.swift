internal import BrowsingData
internal import Merge
internal import SQLite

/// Bookmarks that came before their parents. They wait in the store: a transfer may be cut meanwhile, and there may be many.
final class WaitingBookmarks {
  private let store: RecordStore
  private let entry: Int64
  /// The parents that are waited for.
  private(set) var parents: Set<RecordID> = []

  init(_ store: RecordStore, entry: Int64) throws {
    self.store = store
    self.entry = entry
    let read = try store.statement("SELECT DISTINCT parent FROM waiting WHERE entry = ?1")
    try read.bind(1, entry)
    while try read.step() {
      parents.insert(try read.requiredRecordID(0))
    }
  }

  func add(_ bookmark: Bookmark) throws {
    try remove(bookmark.id)
    parents.insert(bookmark.parent)
    let dot = Dot(replica: bookmark.id, counter: 0)
    let fields = RecordContent.fields(bookmark).fields.map {
      StampedField(number: $0.number, stamp: Stamp(time: 0, dot: dot), value: $0.value)
    }
    let write = try store.statement("INSERT OR REPLACE INTO waiting VALUES (?1, ?2, ?3, ?4, ?5)")
    try write.bind(1, entry)
    try write.bind(2, bookmark.parent.bytes)
    try write.bind(3, bookmark.id.bytes)
    try write.bind(4, Int64(bookmark.position))
    try write.bind(5, BodyCodec.encode(fields) { _ in 0 })
    try write.run()
  }

  /// Takes those out that wait for this parent, in their order.
  func take(_ parent: RecordID) throws -> [Bookmark] {
    guard parents.remove(parent) != nil else { return [] }
    let read = try store.statement(
      "SELECT remote, position, body FROM waiting WHERE entry = ?1 AND parent = ?2 ORDER BY position, remote")
    try read.bind(1, entry)
    try read.bind(2, parent.bytes)
    var bookmarks: [Bookmark] = []
    while try read.step() {
      let id = try read.requiredRecordID(0)
      bookmarks.append(
        RecordContent.bookmark(
          id, try BodyCodec.values(read.bytes(2) ?? []), parent: parent, position: Int(read.int64(1))))
    }
    let delete = try store.statement("DELETE FROM waiting WHERE entry = ?1 AND parent = ?2")
    try delete.bind(1, entry)
    try delete.bind(2, parent.bytes)
    try delete.run()
    return bookmarks
  }

  /// Takes one out whose source has deleted it.
  func remove(_ id: RecordID) throws {
    guard !parents.isEmpty else { return }
    let delete = try store.statement("DELETE FROM waiting WHERE entry = ?1 AND remote = ?2")
    try delete.bind(1, entry)
    try delete.bind(2, id.bytes)
    try delete.run()
  }

  /// The parents that do not wait themselves: those that will not come. Of a circle one, when nothing else is left.
  func missing() throws -> [RecordID] {
    guard !parents.isEmpty else { return [] }
    let read = try store.statement(
      """
      SELECT DISTINCT parent FROM waiting AS one WHERE entry = ?1 AND NOT EXISTS (
        SELECT 1 FROM waiting AS other
        WHERE other.entry = ?1 AND other.remote = one.parent AND other.parent <> other.remote)
      ORDER BY parent
      """)
    try read.bind(1, entry)
    var missing: [RecordID] = []
    while try read.step() {
      missing.append(try read.requiredRecordID(0))
    }
    return missing.isEmpty ? parents.min().map { [$0] } ?? [] : missing
  }
}
