internal import BrowsingData
internal import Merge
internal import SQLite

/// The bookmarks as the view wants them.
struct BookmarkRecords {
  var nodes: [BookmarkNode] = []
  /// Where deleted folders stood.
  var graves: [RecordID: RecordID] = [:]
  /// All deleted ones.
  var deleted: Set<RecordID> = []

  var view: BookmarkView { BookmarkView(nodes, graves: graves) }
}

extension RecordStore {
  /// Reads what the view must know of all bookmarks; texts are hashed, not kept.
  func bookmarkRecords() throws -> BookmarkRecords {
    let replicas = try replicaIDs()
    var result = BookmarkRecords()
    let read = try statement("SELECT rid, body, grave FROM rec WHERE seq BETWEEN ?1 AND ?2")
    try read.bind(1, ChangeLog.bookmarks.sequences.lowerBound)
    try read.bind(2, ChangeLog.bookmarks.sequences.upperBound)
    while try read.step() {
      let id = try read.requiredRecordID(0)
      guard let body = read.bytes(1) else {
        result.deleted.insert(id)
        if let parent = read.bytes(2).flatMap({ GraveCodec.parent($0) }) { result.graves[id] = parent }
        continue
      }
      result.nodes.append(try RecordStore.bookmarkNode(id, body, replicas))
    }
    return result
  }

  /// The incarnations by their numbers in this store.
  func replicaIDs() throws -> [Int64: RecordID] {
    let read = try statement("SELECT no, inc FROM replica")
    var ids: [Int64: RecordID] = [:]
    while try read.step() { ids[read.int64(0)] = try read.recordID(1) }
    return ids
  }

  static func bookmarkNode(_ id: RecordID, _ body: [UInt8], _ replicas: [Int64: RecordID]) throws -> BookmarkNode {
    var reader = BodyReader(body)
    let stamps = try reader.stamps()
    var kind = Bookmark.Kind.bookmark
    var title: ArraySlice<UInt8> = []
    var url: ArraySlice<UInt8>?
    var place: BookmarkPlace?
    var placed: Stamp?
    var occurrence = 0
    while let field = try reader.next(), field.number <= FieldNumber.occurrence {
      guard let value = field.value.map({ body[$0] }) else { continue }
      switch field.number {
      case FieldNumber.kind: kind = value.first.flatMap(Bookmark.Kind.init(rawValue:)) ?? .bookmark
      case FieldNumber.title: title = value
      case FieldNumber.url: url = value
      case FieldNumber.place:
        place = BookmarkPlace(value)
        guard stamps.indices.contains(field.stamp) else { throw StoreError.corrupt }
        let stamp = stamps[field.stamp]
        placed = replicas[stamp.replica].map {
          Stamp(time: stamp.time, dot: Dot(replica: $0, counter: stamp.counter))
        }
      default: occurrence = Int(min(value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, UInt64(Int32.max)))
      }
    }
    guard let place, let placed else { throw StoreError.corrupt }
    return BookmarkNode(
      id: id, parent: place.parent, previousParent: place.previousParent, kind: kind,
      content: ContentHash.of(kind, title: title, url: url), occurrence: occurrence, order: place.order, placed: placed)
  }
}
