internal import BrowsingData
internal import Merge

/// How bookmarks come into the store: carries out what `BookmarkImportPlan` decides.
final class BookmarkImport {
  private let context: RecordImport
  private var plan: BookmarkImportPlan
  private var deleted: Set<RecordID>
  let waiting: WaitingBookmarks
  /// Separators whose place is not known yet.
  private var held: [(bookmark: Bookmark, incoming: IncomingBookmark)] = []
  /// What became of the plan's items, and of a transfer which incoming one each is.
  private var outcomes = Outcomes()
  private var remotes: [Int: RecordID] = [:]
  /// What stands for the roots and tells the ids below it from those elsewhere.
  private var folder: RecordID?

  init(_ context: RecordImport) throws {
    self.context = context
    let records = try context.store.bookmarkRecords()
    deleted = records.deleted
    let tag = ContentHash.another(
      RecordID(bytes: context.store.incarnation) ?? .other, Int(truncatingIfNeeded: context.run.entry))
    plan = BookmarkImportPlan(
      records.view, tag: UInt32(truncatingIfNeeded: tag.low), repeatsAreResent: context.isTransfer)
    waiting = try WaitingBookmarks(context.store, entry: context.run.entry)
    if let name = context.run.options.intoFolder { try openFolder(name) }
    for (remote, row) in context.arrivals.rows where row.type == .bookmarks {
      guard let local = row.local else { continue }
      plan.restore(
        remote, as: local, parent: row.parent ?? .other, position: row.position, isOurs: row.outcome == .added)
      if let item = plan.local(local) {
        outcomes[item] = row.outcome
        remotes[item] = remote
      }
    }
  }

  // MARK: - Taking

  /// A batch of a file or profile.
  func take(_ bookmarks: [Bookmark]) throws {
    let batch = bookmarks.map(placedInFolder)
    plan.reserve(batch.map(\.id))
    for bookmark in batch { try take(bookmark) }
    plan.endReservations()
  }

  /// The rows of a batch of a transfer are about to come.
  func reserve(_ rows: [ChangedRecord]) {
    plan.reserve(
      rows.compactMap { row in
        if case .present(let record) = row.change { record.id } else { nil }
      })
  }

  /// A row of a transfer, new or sent again.
  func takeResent(_ bookmark: Bookmark) throws { try take(placedInFolder(bookmark)) }

  private func take(_ bookmark: Bookmark, isOrphan: Bool = false) throws {
    var queue = [bookmark]
    var next = 0
    while next < queue.count {
      let one = queue[next]
      next += 1
      try takeOne(one, isOrphan: isOrphan && next == 1)
      if waiting.parents.contains(one.id), plan.local(ofIncoming: one.id) != nil { queue += try waiting.take(one.id) }
    }
  }

  private func takeOne(_ original: Bookmark, isOrphan: Bool) throws {
    var bookmark = original
    var limits = RecordLimits(.bookmarks, bookmark.id)
    let fields = limits.checked(&bookmark)
    if !limits.remarks.isEmpty { try context.add(limits.remarks, of: bookmark.id, .bookmarks) }
    guard let fields else { return }
    var incoming = IncomingBookmark(
      id: bookmark.id, parent: bookmark.parent, position: bookmark.position, kind: bookmark.kind,
      content: ContentHash.of(bookmark))
    var number = 0
    while true {
      switch isOrphan ? plan.takeOrphan(incoming) : plan.take(incoming) {
      case .known(let local): return try resent(bookmark, incoming, local)
      case .sameID(let local): return try merge(bookmark, incoming, local, sameID: true)
      case .sameContent(let local): return try merge(bookmark, incoming, local, sameID: false)
      case .added(let local): return try insert(fields, incoming, local)
      case .waits: return try wait(bookmark)
      case .held: return held.append((bookmark, incoming))
      case .idTaken:
        number += 1
        incoming.localID = ContentHash.another(bookmark.id, number)
      case .repeated:
        number += 1
        incoming.localID = ContentHash.another(bookmark.id, number)
        incoming.id = incoming.localID
      }
    }
  }

  private func wait(_ bookmark: Bookmark) throws {
    try waiting.add(bookmark)
    guard context.arrivals[bookmark.id]?.local == nil else { return }
    try context.note(
      bookmark.id, .bookmarks, local: nil, parent: bookmark.parent, position: bookmark.position, outcome: .waiting)
  }

  // MARK: - Writing

  private func insert(_ fields: FieldList, _ incoming: IncomingBookmark, _ local: Int) throws {
    var fields = fields
    var number = 0
    place(local, &fields, formerParent: nil)
    while true {
      let id = plan.locals[local].id
      if try context.table.insert(.bookmarks, id, fields, isKnownNew: !deleted.contains(id)) { break }
      number += 1
      plan.rename(local, to: ContentHash.another(incoming.id, 1_000 + number))
    }
    try note(incoming, local, .added)
  }

  private func place(_ local: Int, _ fields: inout FieldList, formerParent: RecordID?) {
    let item = plan.locals[local]
    let place = BookmarkPlace(parent: plan.id(ofSlot: item.slot), order: item.order, previousParent: formerParent)
    fields.set(FieldNumber.place, place.bytes)
    fields.set(
      FieldNumber.occurrence, item.occurrence == 0 ? nil : FieldList.bigEndian(UInt64(item.occurrence)))
  }

  private func resent(_ bookmark: Bookmark, _ incoming: IncomingBookmark, _ local: Int) throws {
    guard local >= 0, !plan.locals[local].isDeleted else {
      // The person has deleted it meanwhile; a transfer does not bring it back.
      let outcome = context.arrivals[bookmark.id]?.outcome ?? .unchanged
      return try context.note(
        bookmark.id, .bookmarks, local: context.arrivals[bookmark.id]?.local, parent: bookmark.parent,
        position: bookmark.position, outcome: outcome)
    }
    try merge(bookmark, incoming, local, sameID: plan.locals[local].id == incoming.id)
  }

  private func merge(_ bookmark: Bookmark, _ incoming: IncomingBookmark, _ local: Int, sameID: Bool) throws {
    guard let row = try context.table.row(plan.locals[local].id), row.body != nil else { throw StoreError.corrupt }
    let list = try context.table.fields(row)
    let known = RecordContent.bookmark(row.id, list, parent: .other, position: 0)
    let isOurs = outcomes[local] == .added && row.entry == context.run.entry
    let rule =
      isOurs && context.isTransfer ? .exact : sameID ? BookmarkMerge.rule(bookmark, over: known) : MergeRule.update
    let merged = BookmarkMerge.merged(bookmark, over: known, rule, sameID: sameID || rule == .exact)
    var target = RecordContent.fields(merged)
    let former = list[FieldNumber.place].flatMap { BookmarkPlace($0) }
    target.set(FieldNumber.place, list[FieldNumber.place])
    target.set(FieldNumber.occurrence, list[FieldNumber.occurrence])
    if rule == .fill { plan.keepPlace(local) }
    let moves = (sameID || rule == .exact) && rule != .fill && plan.move(local, toParentOf: incoming)
    let hasNewOccurrence = plan.change(local, to: ContentHash.of(merged))
    if moves || hasNewOccurrence {
      place(local, &target, formerParent: moves ? former?.parent : former?.previousParent)
    }
    let changes = RecordImport.changes(from: list, to: target)
    try context.update(row, changes, over: list, isOurs: isOurs)
    let isNew = isOurs || context.arrivals[incoming.id]?.outcome == .added
    try note(incoming, local, isNew ? .added : changes.isEmpty ? .unchanged : .changed)
  }

  private func note(_ incoming: IncomingBookmark, _ local: Int, _ outcome: Outcome) throws {
    outcomes[local] = outcome
    if context.isTransfer { remotes[local] = incoming.id }
    try context.note(
      incoming.id, .bookmarks, local: plan.locals[local].id, parent: incoming.parent, position: incoming.position,
      outcome: outcome)
  }

  // MARK: - Ending

  /// Another source begins within the same import.
  func beginSource() throws {
    try finish()
    plan.beginSource()
    outcomes = Outcomes()
  }

  /// What came has its neighbours now: separators find their places, and siblings the source's order.
  func settle() throws {
    let separators = held
    held = []
    for (one, decision) in zip(separators, plan.settle(separators.map(\.incoming))) {
      switch decision {
      case .added(let local): try insert(RecordContent.fields(one.bookmark), one.incoming, local)
      case .sameContent(let local): try merge(one.bookmark, one.incoming, local, sameID: false)
      case .known, .sameID, .waits, .held, .idTaken, .repeated: throw StoreError.corrupt
      }
    }
    for placement in plan.arrange() { try arrange(placement) }
    plan.endReservations()
  }

  private func arrange(_ placement: Placement) throws {
    let item = plan.locals[placement.local]
    guard let row = try context.table.row(item.id), row.body != nil else { throw StoreError.corrupt }
    let list = try context.table.fields(row)
    let former = list[FieldNumber.place].flatMap { BookmarkPlace($0) }
    let place = BookmarkPlace(
      parent: plan.id(ofSlot: item.slot), order: placement.order, previousParent: former?.previousParent)
    let outcome = outcomes[placement.local]
    let isOurs = outcome == .added
    try context.update(
      row, [FieldChange(number: FieldNumber.place, value: place.bytes)], over: list, isOurs: isOurs || outcome == nil)
    guard outcome == .unchanged else { return }
    outcomes[placement.local] = .changed
    if let remote = remotes[placement.local], let arrival = context.arrivals[remote] {
      try context.note(
        remote, .bookmarks, local: item.id, parent: arrival.parent, position: arrival.position, outcome: .changed)
    } else {
      context.tally(.bookmarks, from: .unchanged, to: .changed)
    }
  }

  /// Everything has come: those whose parents never did go to "other".
  func finish() throws {
    while !waiting.parents.isEmpty {
      for parent in try waiting.missing() {
        for orphan in try waiting.take(parent) { try take(orphan, isOrphan: true) }
      }
    }
    try settle()
  }

  /// A row that this transfer had brought was deleted by its source.
  func deleted(_ id: RecordID, incoming: RecordID) {
    deleted.insert(id)
    guard let local = plan.local(id) else { return }
    plan.delete(local, incoming: incoming)
    outcomes[local] = nil
    remotes[local] = nil
  }

  // MARK: - Into one folder

  private func openFolder(_ name: String) throws {
    let content = ContentHash.of(.folder, title: name.utf8, url: Optional<String.UTF8View>.none)
    var id = RecordID(high: content.high, low: content.low)
    var number = 0
    while plan.local(id) != nil {
      number += 1
      id = ContentHash.another(id, number)
    }
    let before = plan.locals.count
    let local = plan.addFolder(id, content: content, below: .other)
    plan.rootFolder = local
    folder = plan.locals[local].id
    guard local >= before else { return }
    let bookmark = Bookmark(id: id, kind: .folder, parent: .other, position: 0, title: name)
    var fields = RecordContent.fields(bookmark)
    place(local, &fields, formerParent: nil)
    guard try context.table.insert(.bookmarks, id, fields, isKnownNew: !deleted.contains(id)) else {
      throw StoreError.corrupt
    }
    outcomes[local] = .added
  }

  /// With a folder in place of the roots nothing may meet by id what stands elsewhere.
  private func placedInFolder(_ bookmark: Bookmark) -> Bookmark {
    guard let folder else { return bookmark }
    var bookmark = bookmark
    bookmark.id = ContentHash.another(bookmark.id, 0, context: folder)
    if !bookmark.parent.isRoot { bookmark.parent = ContentHash.another(bookmark.parent, 0, context: folder) }
    return bookmark
  }
}

/// What became of each item of a plan, a byte for each.
private struct Outcomes {
  private var bytes: [UInt8] = []

  subscript(local: Int) -> Outcome? {
    get { local < bytes.count ? Outcome(rawValue: Int64(bytes[local])) : nil }
    set {
      if local >= bytes.count { bytes += [UInt8](repeating: 0, count: local + 1 - bytes.count) }
      bytes[local] = newValue.map { UInt8($0.rawValue) } ?? 0
    }
  }
}

extension RecordLimits {
  /// The fields of a bookmark within the limits; nil when it may not be taken.
  mutating func checked(_ bookmark: inout Bookmark) -> FieldList? {
    time(&bookmark.dateAdded, "date_added")
    time(&bookmark.dateModified, "date_modified")
    time(&bookmark.lastVisitedAt, "last_visited_at")
    icon(&bookmark.icon, "icon")
    icon(&bookmark.iconURI, "icon_uri")
    if bookmark.id.isRoot { return skip("it has the id of a root") ? FieldList() : nil }
    let fields = RecordContent.fields(bookmark)
    let lists = bookmark.tags + bookmark.attributes.flatMap { [$0.name, $0.value] }
    return allows(texts: lists) && allows(fields, overhead: 128) ? fields : nil
  }
}
