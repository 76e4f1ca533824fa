package import BrowsingData
internal import SQLite

extension RecordStore {
  /// How many live records of each kind there are.
  package func counts() throws -> RecordCounts {
    try reading {
      var counts = RecordCounts()
      for type in DataType.stored {
        counts[type] = type == .history ? try countVisits() : try countRecords(type)
      }
      return counts
    }
  }

  /// Hands over the records of a kind that hold `search`, at most `limit`: bookmarks in the order of their tree,
  /// visits the newest first, with links resolved.
  package func list(
    _ type: DataType, search: String? = nil, limit: Int? = nil, _ body: (Record) throws -> Void
  ) throws {
    let term = search.map { SearchTerm($0) }
    try reading {
      if type == .history {
        try listVisits(search: term, limit: limit) { try body(.historyVisit($0)) }
      } else {
        try listRecords(type, search: term, limit: limit, body)
      }
    }
  }

  /// The next rows of a change log after a sequence, at most so many and about so many bytes; nil when there are none.
  /// Visits are handed over only up to where all pages were: ask for pages first, until there are none.
  package func changes(
    _ log: ChangeLog, after: Int64, maximumRecords: Int = 10_000, maximumBytes: Int = 1 << 20
  ) throws -> ChangeBatch? {
    try reading {
      switch log {
      case .pages: try pageChanges(after: after, maximumRecords: maximumRecords, maximumBytes: maximumBytes)
      case .visits: try visitChanges(after: after, maximumRecords: maximumRecords, maximumBytes: maximumBytes)
      case .bookmarks, .readingList, .extensions, .passwords, .cards:
        try recordChanges(log, after: after, maximumRecords: maximumRecords, maximumBytes: maximumBytes)
      case .resources, .forgetRules: nil
      }
    }
  }

  /// Where the logs of these kinds stand, all at one moment: last sequence, live rows, sum of their hashes.
  package func ending(_ types: DataTypes) throws -> [ChangeLog: LogEnd] {
    try reading {
      var ends: [ChangeLog: LogEnd] = [:]
      for log in ChangeLog.logs(of: types) where log != .resources && log.type != .history {
        ends[log] = try recordEnding(log)
      }
      if types.contains(.history) { ends.merge(try historyEnding()) { $1 } }
      return ends
    }
  }

  /// This store as a source of records: bookmarks in the order of their tree, visits the oldest first, flat.
  package func source() -> StoreSource { StoreSource(store: self, entry: nil) }

  /// The same, of those records only that are as this journal entry left them, with the folders above them.
  package func source(entry: Int64) -> StoreSource { StoreSource(store: self, entry: entry) }
}
