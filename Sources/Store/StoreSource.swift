package import BrowsingData
internal import SQLite

/// A store's records, as any other source hands them over.
package struct StoreSource: RecordSource {
  let store: RecordStore
  /// Only what this journal entry added or changed last; nil for everything.
  let entry: Int64?
  /// Hands over history as pages and visits that name them by number, the oldest first: what is cheap to write elsewhere.
  package var isPaged = false
  /// Of history only what came after this row sequence; where it is not 0, in the order in which it came. Only paged.
  package var historyAfter: Int64 = 0

  /// The six kinds.
  package var types: DataTypes { .all }

  /// Exact.
  package func counts() throws -> RecordCounts {
    guard let entry else { return try store.counts() }
    return try store.reading {
      var counts = RecordCounts()
      for type in DataType.stored {
        counts[type] = type == .history ? try visitCount(entry) : try recordIDs(type, entry).count
      }
      return counts
    }
  }

  /// All records, over one state of the store.
  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    try store.reading {
      for type in types.each where type != .resources {
        if type == .history {
          if isPaged {
            try store.readPagedVisits(HistoryExtent(entry: entry, after: historyAfter), consume)
          } else {
            try store.readVisits(entry: entry, consume)
          }
        } else if let entry {
          try readRecords(type, entry, consume)
        } else {
          try store.readRecords(type, consume)
        }
      }
    }
  }

  private func readRecords(
    _ type: DataType, _ entry: Int64, _ consume: (RecordBatch) throws -> Void
  ) throws {
    var wanted = try recordIDs(type, entry)
    if type == .bookmarks { wanted.formUnion(try foldersAbove(wanted)) }
    guard !wanted.isEmpty else { return }
    try store.readRecords(type) { batch in try consume(batch.filtered { wanted.contains($0) }) }
  }

  private func recordIDs(_ type: DataType, _ entry: Int64) throws -> Set<RecordID> {
    let read = try store.statement("SELECT rid FROM rec WHERE type = ?1 AND entry = ?2 AND body IS NOT NULL")
    try read.bind(1, Int64(type.rawValue))
    try read.bind(2, entry)
    var ids: Set<RecordID> = []
    while try read.step() {
      if let id = RecordID(bytes: read.bytes(0) ?? []) { ids.insert(id) }
    }
    return ids
  }

  private func visitCount(_ entry: Int64) throws -> Int {
    let read = try store.statement("SELECT count(*) FROM visit WHERE entry = ?1")
    try read.bind(1, entry)
    defer { read.reset() }
    return try read.step() ? Int(read.int64(0)) : 0
  }

  private func foldersAbove(_ wanted: Set<RecordID>) throws -> Set<RecordID> {
    var parents: [RecordID: RecordID] = [:]
    try store.readRecords(.bookmarks) { batch in
      guard case .bookmarks(let bookmarks) = batch else { return }
      for bookmark in bookmarks { parents[bookmark.id] = bookmark.parent }
    }
    var folders: Set<RecordID> = []
    for id in wanted {
      var next = parents[id]
      while let folder = next, !folder.isRoot, folders.insert(folder).inserted { next = parents[folder] }
    }
    return folders
  }
}

extension RecordBatch {
  /// The records whose ids are wanted.
  fileprivate func filtered(_ isWanted: (RecordID) -> Bool) -> RecordBatch {
    switch self {
    case .bookmarks(let all): .bookmarks(all.filter { isWanted($0.id) })
    case .readingList(let all): .readingList(all.filter { isWanted($0.id) })
    case .extensions(let all): .extensions(all.filter { isWanted($0.id) })
    case .logins(let all): .logins(all.filter { isWanted($0.id) })
    case .cards(let all): .cards(all.filter { isWanted($0.id) })
    case .pages, .visits, .history, .remarks: self
    }
  }
}
