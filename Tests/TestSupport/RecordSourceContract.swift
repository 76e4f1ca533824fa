package import BrowsingData

/// What every source must keep to, whatever it reads. A test expects no violations.
package enum RecordSourceContract {
  private struct Stop: Error {}

  /// The ways in which a source breaks the contract, in words; empty when it keeps it.
  package static func violations(of source: any RecordSource, _ types: DataTypes = .all) throws -> [String] {
    let whole = try CollectedRecords(source, types)
    var found = order(of: whole, types.intersection(source.types)) + tree(whole.bookmarks)
    found += history(whole)
    found += try repetition(of: source, types, whole)
    found += try parts(of: source, types, whole)
    found += try stopping(source, types, batches: whole.batches.count)
    let counts = try source.counts()
    for type in DataType.allCases {
      if counts[type] > 0 && !source.types.contains(type) {
        found.append("it counts \(type.name), which it does not hold")
      }
      let alone = try source.counts(of: DataTypes(type)).byType.filter { $0.value > 0 }
      if alone != (counts[type] > 0 ? [type: counts[type]] : [:]) {
        found.append("it counts \(type.name) otherwise when asked for nothing else")
      }
    }
    return found
  }

  private static func type(of batch: RecordBatch) -> DataType? {
    switch batch {
    case .bookmarks: .bookmarks
    case .readingList: .readingList
    case .extensions: .extensions
    case .logins: .passwords
    case .cards: .cards
    case .pages, .visits, .history: .history
    case .remarks: nil
    }
  }

  private static func isEmpty(_ batch: RecordBatch) -> Bool {
    switch batch {
    case .bookmarks(let records): records.isEmpty
    case .readingList(let records): records.isEmpty
    case .extensions(let records): records.isEmpty
    case .logins(let records): records.isEmpty
    case .cards(let records): records.isEmpty
    case .history(let records): records.isEmpty
    case .pages(let batch): batch.pages.isEmpty
    case .visits(let batch): batch.visits.isEmpty
    case .remarks(let records): records.isEmpty
    }
  }

  private static func order(of whole: CollectedRecords, _ types: DataTypes) -> [String] {
    var found: [String] = []
    var last = DataType.bookmarks
    for batch in whole.batches {
      if isEmpty(batch) { found.append("an empty batch") }
      guard let type = type(of: batch) else { continue }
      if !types.contains(type) { found.append("\(type.name) came unasked") }
      if type < last { found.append("\(type.name) came after \(last.name)") }
      last = type
    }
    return found
  }

  private static func tree(_ bookmarks: [Bookmark]) -> [String] {
    var found: [String] = []
    var folders = Set(RecordID.roots.map(\.id))
    var ids: Set<RecordID> = []
    var next: [RecordID: Int] = [:]
    for bookmark in bookmarks {
      if !folders.contains(bookmark.parent) { found.append("bookmark \(bookmark.id) came before its folder") }
      if !ids.insert(bookmark.id).inserted || bookmark.id.isRoot { found.append("id \(bookmark.id) was given twice") }
      if bookmark.position != next[bookmark.parent, default: 0] {
        found.append("bookmark \(bookmark.id) has position \(bookmark.position)")
      }
      next[bookmark.parent, default: 0] += 1
      if bookmark.kind == .folder { folders.insert(bookmark.id) }
      if (bookmark.url == nil) == (bookmark.kind == .bookmark) {
        found.append("\(bookmark.kind.name) \(bookmark.id) has the wrong kind of address")
      }
    }
    return found
  }

  private static func history(_ whole: CollectedRecords) -> [String] {
    struct Key: Hashable {
      var url: String
      var time: Timestamp
      var profile: String?
    }
    var found: [String] = []
    var next: [Key: Int] = [:]
    for visit in whole.visits {
      if visit.url.hasPrefix("(no page") { found.append("a visit came before its page") }
      for link in [visit.redirectSource, visit.referrer] where link?.url.hasPrefix("(no page") == true {
        found.append("a link came before its page")
      }
      if !visit.visitedAt.isPlausible { found.append("a visit has no possible time") }
      if visit.visitCount < 1 { found.append("a visit stands for none") }
      let key = Key(url: visit.url, time: visit.visitedAt, profile: visit.profile)
      if visit.occurrence != next[key, default: 0] { found.append("an occurrence is out of turn") }
      next[key, default: 0] += 1
    }
    return found
  }

  /// A card's id is random, so only what it holds is compared.
  private static func withoutIDs(_ cards: [PaymentCard]) -> [PaymentCard] {
    cards.map { card in
      var card = card
      card.id = .other
      return card
    }
  }

  private static func differences(_ left: CollectedRecords, _ right: CollectedRecords, _ types: DataTypes) -> [DataType]
  {
    var found: [DataType] = []
    if types.contains(.bookmarks), left.bookmarks != right.bookmarks { found.append(.bookmarks) }
    if types.contains(.readingList), left.readingList != right.readingList { found.append(.readingList) }
    if types.contains(.extensions), left.extensions != right.extensions { found.append(.extensions) }
    if types.contains(.passwords), left.logins != right.logins { found.append(.passwords) }
    if types.contains(.cards), withoutIDs(left.cards) != withoutIDs(right.cards) { found.append(.cards) }
    if types.contains(.history), left.visits != right.visits { found.append(.history) }
    return found
  }

  private static func repetition(
    of source: any RecordSource, _ types: DataTypes, _ whole: CollectedRecords
  ) throws -> [String] {
    differences(whole, try CollectedRecords(source, types), types).map { "\($0.name) read twice differ" }
  }

  private static func parts(
    of source: any RecordSource, _ types: DataTypes, _ whole: CollectedRecords
  ) throws -> [String] {
    try types.each.flatMap { type in
      differences(whole, try CollectedRecords(source, DataTypes(type)), DataTypes(type))
        .map { "\($0.name) read alone differ" }
    }
  }

  private static func stopping(_ source: any RecordSource, _ types: DataTypes, batches: Int) throws -> [String] {
    var found: [String] = []
    for stop in 0..<min(batches, 4) {
      var calls = 0
      do {
        try source.read(types) { _ in
          calls += 1
          if calls > stop { throw Stop() }
        }
        found.append("an error of the consumer at batch \(stop) did not come back")
      } catch is Stop {
        if calls != stop + 1 { found.append("it went on after the consumer failed at batch \(stop)") }
      }
    }
    return found
  }
}
