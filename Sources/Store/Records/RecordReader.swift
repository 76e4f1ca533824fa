internal import BrowsingData
internal import Merge
internal import SQLite

/// What the store can say of the record table: everything but history.
extension RecordStore {
  /// How many live records of a kind there are.
  func countRecords(_ type: DataType) throws -> Int {
    let read = try statement("SELECT count(*) FROM rec WHERE seq BETWEEN ?1 AND ?2 AND body IS NOT NULL")
    let sequences = ChangeLog(type).sequences
    try read.bind(1, sequences.lowerBound)
    try read.bind(2, sequences.upperBound)
    defer { read.reset() }
    return try read.step() ? Int(read.int64(0)) : 0
  }

  /// Hands over the records of a kind that match, bookmarks in the order of their tree.
  func listRecords(_ type: DataType, search: SearchTerm?, limit: Int?, _ body: (Record) throws -> Void) throws {
    var left = limit ?? Int.max
    guard left > 0 else { return }
    do {
      try eachRecord(type) { record in
        if let search, !record.contains(search) { return }
        try body(record)
        left -= 1
        if left == 0 { throw EndOfList() }
      }
    } catch is EndOfList {}
  }

  /// Hands over all records of a kind in batches, bookmarks in the order of their tree, parents first.
  func readRecords(_ type: DataType, _ consume: (RecordBatch) throws -> Void) throws {
    var records: [Record] = []
    try eachRecord(type) { record in
      records.append(record)
      guard records.count >= 1_000 else { return }
      try consume(RecordBatch(records, of: type))
      records.removeAll(keepingCapacity: true)
    }
    if !records.isEmpty { try consume(RecordBatch(records, of: type)) }
  }

  private func eachRecord(_ type: DataType, _ body: (Record) throws -> Void) throws {
    if type == .bookmarks { return try eachBookmark { try body(.bookmark($0)) } }
    // Its own statement: whoever takes the records may ask the store something else meanwhile.
    let read = try database.prepare(
      "SELECT rid, body FROM rec WHERE seq BETWEEN ?1 AND ?2 AND body IS NOT NULL ORDER BY born")
    let sequences = ChangeLog(type).sequences
    try read.bind(1, sequences.lowerBound)
    try read.bind(2, sequences.upperBound)
    while try read.step() {
      let id = try read.requiredRecordID(0)
      guard let bytes = read.bytes(1) else { throw StoreError.corrupt }
      if let record = Record(type, id, try openedFields(bytes, type, id)) { try body(record) }
    }
  }

  private func eachBookmark(_ body: (Bookmark) throws -> Void) throws {
    let view = try bookmarkRecords().view
    let read = try database.prepare("SELECT body FROM rec WHERE rid = ?1")
    try view.walk { item in
      let id = view.nodes[item.node].id
      try read.bind(1, id.bytes)
      guard try read.step(), let bytes = read.bytes(0) else { throw StoreError.corrupt }
      read.reset()
      try body(
        RecordContent.bookmark(
          id, try openedFields(bytes, .bookmarks, id), parent: item.parentID, position: item.position))
    }
  }
}

private struct EndOfList: Error {}

extension RecordBatch {
  /// Records of one kind as a batch.
  init(_ records: [Record], of type: DataType) {
    switch type {
    case .bookmarks: self = .bookmarks(records.compactMap { if case .bookmark(let one) = $0 { one } else { nil } })
    case .readingList:
      self = .readingList(records.compactMap { if case .readingListItem(let one) = $0 { one } else { nil } })
    case .extensions:
      self = .extensions(records.compactMap { if case .browserExtension(let one) = $0 { one } else { nil } })
    case .passwords: self = .logins(records.compactMap { if case .login(let one) = $0 { one } else { nil } })
    case .cards: self = .cards(records.compactMap { if case .paymentCard(let one) = $0 { one } else { nil } })
    case .history: self = .history(records.compactMap { if case .historyVisit(let one) = $0 { one } else { nil } })
    case .resources: self = .remarks([])
    }
  }
}

extension Record {
  /// From its fields; nil for the kinds that are no records of the record table. A bookmark has no place yet.
  init?(_ type: DataType, _ id: RecordID, _ fields: FieldList) {
    switch type {
    case .bookmarks: self = .bookmark(RecordContent.bookmark(id, fields, parent: .other, position: 0))
    case .readingList: self = .readingListItem(RecordContent.readingListItem(id, fields))
    case .extensions: self = .browserExtension(RecordContent.browserExtension(id, fields))
    case .passwords: self = .login(RecordContent.login(id, fields))
    case .cards: self = .paymentCard(RecordContent.paymentCard(id, fields))
    case .history, .resources: return nil
    }
  }

  /// Whether a text of it, none of them a password, a number or a code, holds this.
  func contains(_ term: SearchTerm) -> Bool {
    let texts: [String?] =
      switch self {
      case .bookmark(let one): [one.title, one.url, one.keyword, one.description] + one.tags
      case .readingListItem(let one): [one.title, one.url, one.preview]
      case .browserExtension(let one): [one.name, one.developer, one.identifier, one.homepage]
      case .login(let one): [one.title, one.url, one.username, one.httpRealm] + one.urls
      case .paymentCard(let one): [one.name, one.holder]
      case .historyVisit(let one): [one.title, one.url]
      }
    return texts.contains { term.matches($0) }
  }
}
