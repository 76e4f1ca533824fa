package import BrowsingData
package import Store

/// Takes a delivery back: the files as they were when the browser has not run since, else record by record, each that is
/// as the delivery left it. What was changed since stays and is a remark.
package struct DeliveryUndo {
  private let editor: any ProfileEditor
  private let store: RecordStore
  private let entry: JournalEntry
  private var report = ApplyReport()

  /// Of an entry of the store's journal, through an editor of its profile.
  package init(_ entry: JournalEntry, in store: RecordStore, through editor: any ProfileEditor) {
    self.entry = entry
    self.store = store
    self.editor = editor
  }

  /// Does it; the report counts what was taken back as changed.
  package mutating func run() throws -> ApplyReport {
    guard let delivery = try store.delivery(entry.number) else { throw StoreError.noSuchEntry }
    if let files = delivery.files, !files.isEmpty, try editor.restore(files) {
      for (type, figures) in entry.figures where figures.added + figures.changed > 0 {
        report[type].found = figures.added + figures.changed
        report[type].changed = figures.added + figures.changed
      }
    } else {
      do {
        try takeBack(delivery)
        _ = try editor.commit()
      } catch {
        editor.abandon()
        throw error
      }
    }
    try store.noteTakenBack(entry, report)
    return report
  }

  private mutating func takeBack(_ delivery: DeliveryEntry) throws {
    let records = try store.deliveredRecords(entry.number)
    try takeBackBookmarks(records.filter { $0.type == .bookmarks })
    try takeBackReadingList(records.filter { $0.type == .readingList })
    try takeBackLogins(records.filter { $0.type == .passwords })
    try takeBackCards(records.filter { $0.type == .cards })
    guard let mark = delivery.mark else { return }
    let count = try editor.takeBackHistory(mark: mark)
    report[.history].found = count
    report[.history].changed = count
  }

  private mutating func keep(_ type: DataType, _ id: String, _ reason: String = "it was changed later and stays") {
    report.add(Remark(.skipped, type: type, place: .id(id), reason: reason))
  }

  private mutating func note(_ type: DataType, _ count: Int) {
    report[type].found += count
    report[type].changed += count
  }

  // MARK: - Bookmarks

  private mutating func takeBackBookmarks(_ records: [DeliveredRecord]) throws {
    guard !records.isEmpty else { return }
    let held = try editor.heldBookmarks()
    let folders = HeldFolders(held)
    var there: [String: Bookmark] = [:]
    var children: [RecordID: [String]] = [:]
    for one in held {
      there[one.foreignID] = one.item
      children[one.item.parent, default: []].append(one.foreignID)
    }
    var edits = BookmarkEdits()
    var kept: Set<String> = []
    for record in records {
      guard case .bookmark(let after) = record.after, let now = there[record.foreignID] else { continue }
      let isAsLeft = DeliveryUndo.isSame(now, after) && folders.name(of: now.parent) == record.folder
      guard isAsLeft else {
        keep(.bookmarks, record.foreignID)
        kept.insert(record.foreignID)
        continue
      }
      if case .bookmark(var before)? = record.before {
        before.parent = now.parent
        edits.updates.append(Held(record.foreignID, before))
      } else {
        edits.removals.insert(record.foreignID)
      }
    }
    // Innermost first: a folder goes only when all that is in it goes.
    for one in held.reversed() where one.item.kind == .folder && edits.removals.contains(one.foreignID) {
      let stays = (children[one.item.id] ?? []).contains { !edits.removals.contains($0) }
      guard stays else { continue }
      edits.removals.remove(one.foreignID)
      keep(.bookmarks, one.foreignID, "something that came later is in it")
    }
    guard !edits.isEmpty else { return }
    let result = try editor.apply(edits)
    note(.bookmarks, edits.removals.count + edits.updates.count - result.refused.count)
    for (id, reason) in result.refused { keep(.bookmarks, id, reason) }
  }

  private static func isSame(_ now: Bookmark, _ left: Bookmark) -> Bool {
    now.kind == left.kind && now.title == left.title && now.url == left.url && now.keyword == left.keyword
      && Set(now.tags) == Set(left.tags)
  }

  // MARK: - Lists

  private mutating func takeBackReadingList(_ records: [DeliveredRecord]) throws {
    guard !records.isEmpty else { return }
    let there = DeliveryUndo.items(try editor.heldReadingList())
    var edits = ItemEdits<ReadingListItem>()
    for record in records {
      guard case .readingListItem(let after) = record.after, let now = there[record.foreignID] else { continue }
      if now.url == after.url, now.title == after.title {
        edits.removals.insert(record.foreignID)
      } else {
        keep(.readingList, record.foreignID)
      }
    }
    guard !edits.isEmpty else { return }
    _ = try editor.apply(edits)
    note(.readingList, edits.removals.count)
  }

  private mutating func takeBackLogins(_ records: [DeliveredRecord]) throws {
    guard !records.isEmpty else { return }
    let there = DeliveryUndo.items(try editor.heldLogins())
    var edits = ItemEdits<Login>()
    for record in records {
      guard case .login(let after) = record.after, let now = there[record.foreignID] else { continue }
      if now.origin == after.origin, now.httpRealm == after.httpRealm, now.username == after.username,
        now.password == after.password
      {
        edits.removals.insert(record.foreignID)
      } else {
        keep(.passwords, record.foreignID)
      }
    }
    guard !edits.isEmpty else { return }
    _ = try editor.apply(edits)
    note(.passwords, edits.removals.count)
  }

  private mutating func takeBackCards(_ records: [DeliveredRecord]) throws {
    guard !records.isEmpty else { return }
    let there = DeliveryUndo.items(try editor.heldCards())
    var edits = ItemEdits<PaymentCard>()
    for record in records {
      guard case .paymentCard(let after) = record.after, let now = there[record.foreignID] else { continue }
      guard now.number == after.number, now.holder == after.holder, now.expirationMonth == after.expirationMonth,
        now.expirationYear == after.expirationYear
      else {
        keep(.cards, record.foreignID)
        continue
      }
      if case .paymentCard(let before)? = record.before {
        edits.updates.append(Held(record.foreignID, before))
      } else {
        edits.removals.insert(record.foreignID)
      }
    }
    guard !edits.isEmpty else { return }
    _ = try editor.apply(edits)
    note(.cards, edits.removals.count + edits.updates.count)
  }

  private static func items<Item>(_ held: [Held<Item>]) -> [String: Item] {
    Dictionary(held.map { ($0.foreignID, $0.item) }, uniquingKeysWith: { first, _ in first })
  }
}
