package import BrowsingData
package import Store

/// Delivers records into a profile as a merge: what is there stays, what is missing is added, a second time changes
/// nothing. Reads the source once, kind after kind; only history is streamed, the rest is compared in memory.
package final class ProfileDelivery {
  private let editor: any ProfileEditor
  private let source: any RecordSource
  private let types: DataTypes
  private let profile: String?
  private var report = ApplyReport()
  private var losses = LossCount()
  private var delivered: [DeliveredRecord] = []
  private var mark: String?
  /// Told how many visits of how many have been handed to the editor, batch by batch; the other kinds are soon done.
  package var progress: ((_ done: Int, _ total: Int) -> Void)?

  /// From a source into an open editor. `types`: what is wanted of the source; `profile`: only records of this one.
  package init(
    from source: any RecordSource, to editor: any ProfileEditor, types: DataTypes, profile: String? = nil
  ) {
    self.source = source
    self.editor = editor
    self.types = types.intersection(source.types)
    self.profile = profile
  }

  /// What the browser cannot hold and what would be new, without a change: for an editor opened for a dry run.
  package func preview() throws -> ApplyReport {
    defer { editor.abandon() }
    try apply()
    return report
  }

  /// Delivers, as an entry of the store's journal that can be taken back. `label` is what a person knows the profile by,
  /// `path` its folder. When nothing changed there is no entry.
  package func deliver(journal store: RecordStore, label: String, path: String) throws -> ApplyReport {
    let entry = try store.beginDelivery(label: label, profile: path)
    var isNoted = false
    do {
      try apply()
      try store.noteDelivery(entry, delivered, mark: mark)
      isNoted = true
      let files = try editor.commit()
      if files.isEmpty {
        try store.abandonDelivery(entry)
      } else {
        try store.finishDelivery(entry, report, files: files)
      }
      return report
    } catch {
      editor.abandon()
      // Once it is noted, a part may be in the profile: the entry stays, so that it can be taken back.
      if !isNoted { try? store.abandonDelivery(entry) }
      throw error
    }
  }

  // MARK: -

  private func apply() throws {
    for type in types.each where type != .resources { report[type] = ApplyReport.Figures() }
    try refuseUnknownTypes()
    let held = types.intersection(editor.types)
    if !held.isDisjoint(with: [.bookmarks, .extensions]) { try applyBookmarks(held) }
    if held.contains(.readingList) { try applyReadingList() }
    if held.contains(.passwords) { try applyLogins() }
    if held.contains(.cards) { try applyCards() }
    if held.contains(.history) { try applyHistory() }
    report.losses = losses.losses
  }

  /// Kinds that the browser does not have at all are a loss, record by record.
  private func refuseUnknownTypes() throws {
    let unknown = types.subtracting(editor.types).subtracting(.resources)
    guard !unknown.isEmpty else { return }
    let counts = try source.counts(of: unknown)
    for type in unknown.each where counts[type] > 0 {
      report[type].found += counts[type]
      losses.add(type, FieldLoss("item", "\(editor.browserName) has no \(type.name)"), count: counts[type])
    }
  }

  private func isWanted(_ profile: String?) -> Bool { self.profile == nil || profile == self.profile }

  private func read(_ types: DataTypes, _ body: (RecordBatch) throws -> Void) throws {
    try source.read(types) { batch in
      if case .remarks(let remarks) = batch {
        for remark in remarks { report.add(remark) }
      } else {
        try body(batch)
      }
    }
  }

  /// The item as the browser would hold it; nil, and counted, when it cannot.
  private func fitted<Item>(_ fitting: Fitting<Item>, _ type: DataType, _ id: RecordID) -> Item? {
    switch fitting {
    case .held(let item, let lost):
      for loss in lost { losses.add(type, loss) }
      return item
    case .lost(let loss):
      losses.add(type, loss)
      return nil
    case .refused(let reason):
      report[type].found -= 1
      report.add(Remark(.skipped, type: type, place: .id(id.description), reason: reason))
      return nil
    }
  }

  private func note(refused reasons: [String: String], _ type: DataType) {
    for (id, reason) in reasons.sorted(by: { $0.key < $1.key }) {
      report[type].added -= 1
      report[type].found -= 1
      report.add(Remark(.skipped, type: type, place: .id(id), reason: reason))
    }
  }

  private func note(_ result: EditResult, _ type: DataType) {
    note(refused: result.refused, type)
    for (loss, count) in result.losses { losses.add(type, loss, count: count) }
  }

  // MARK: - Bookmarks and extensions

  private func applyBookmarks(_ held: DataTypes) throws {
    var tree = IncomingTree()
    if held.contains(.bookmarks) {
      try read(.bookmarks) { batch in
        guard case .bookmarks(let bookmarks) = batch else { return }
        for bookmark in bookmarks where isWanted(bookmark.profile) {
          report[.bookmarks].found += 1
          let fitting = editor.fit(bookmark, depth: tree.depth(below: bookmark.parent))
          guard let item = fitted(fitting, .bookmarks, bookmark.id) else {
            tree.leaveOut(bookmark)
            continue
          }
          tree.add(item)
        }
      }
    }
    var links: Set<RecordID> = []
    if held.contains(.extensions) { links = try addExtensions(to: &tree) }
    guard !tree.bookmarks.isEmpty else { return }
    let there = try editor.heldBookmarks()
    var delivery = BookmarkDelivery(there) { [editor] id, guid, attempt in
      editor.foreignID(for: id, type: .bookmarks, guid: guid, attempt: attempt)
    }
    let decisions = delivery.decide(tree.bookmarks)
    let edits = delivery.edits()
    let result = try editor.apply(edits)
    let folder = ExtensionLinks.folderID
    for decision in decisions where result.refused[decision.foreignID] == nil && decision.id != folder {
      let type: DataType = links.contains(decision.id) ? .extensions : .bookmarks
      switch decision.outcome {
      case .added: report[type].added += 1
      case .changed: report[type].changed += 1
      case .unchanged: report[type].unchanged += 1
      }
    }
    for (id, reason) in result.refused.sorted(by: { $0.key < $1.key }) {
      report[.bookmarks].found -= 1
      report.add(Remark(.skipped, type: .bookmarks, place: .id(id), reason: reason))
    }
    for (loss, count) in result.losses { losses.add(.bookmarks, loss, count: count) }
    if !edits.isEmpty { try noteBookmarks(edits, before: there) }
  }

  /// As they stand in the profile now, before anybody else can change them.
  private func noteBookmarks(_ edits: BookmarkEdits, before there: [Held<Bookmark>]) throws {
    let new = Set(edits.insertions.map(\.held.foreignID))
    let changed = Set(edits.updates.map(\.foreignID))
    var before: [String: Bookmark] = [:]
    for one in there where changed.contains(one.foreignID) { before[one.foreignID] = one.item }
    let now = try editor.heldBookmarks()
    let folders = HeldFolders(now)
    for one in now where new.contains(one.foreignID) || changed.contains(one.foreignID) {
      delivered.append(
        DeliveredRecord(
          type: .bookmarks, foreignID: one.foreignID, folder: folders.name(of: one.item.parent),
          before: before[one.foreignID].map { .bookmark($0) }, after: .bookmark(one.item)))
    }
  }

  /// Extensions are proposed by bookmarks in a folder of their own, unless they are installed.
  private func addExtensions(to tree: inout IncomingTree) throws -> Set<RecordID> {
    let installed = try editor.heldExtensions()
    var links: [Bookmark] = []
    try read(.extensions) { batch in
      guard case .extensions(let extensions) = batch else { return }
      for one in extensions where isWanted(one.profile) {
        report[.extensions].found += 1
        if installed.contains(one.identifier) {
          report[.extensions].unchanged += 1
          continue
        }
        let link = ExtensionLinks.bookmark(of: one, url: editor.page(of: one), position: links.count)
        if let item = fitted(editor.fit(link, depth: 2), .extensions, one.id) { links.append(item) }
      }
    }
    guard !links.isEmpty, case .held(let folder, _) = editor.fit(ExtensionLinks.folder, depth: 1) else { return [] }
    losses.add(
      .extensions, FieldLoss("extension", "none is installed unasked; bookmarks say where to get them"),
      count: links.count)
    tree.add(folder)
    for link in links { tree.add(link) }
    return Set(links.map(\.id))
  }

  // MARK: - Lists

  private func applyReadingList() throws {
    var delivery = ItemDelivery(readingList: try editor.heldReadingList())
    try read(.readingList) { batch in
      guard case .readingList(let items) = batch else { return }
      for item in items where isWanted(item.profile) {
        report[.readingList].found += 1
        guard let fitted = fitted(editor.fit(item), .readingList, item.id) else { continue }
        let outcome = delivery.take(fitted) { attempt in
          editor.foreignID(for: item.id, type: .readingList, guid: nil, attempt: attempt)
        }
        count(outcome, .readingList)
      }
    }
    guard !delivery.edits.isEmpty else { return }
    let result = try editor.apply(delivery.edits)
    note(result, .readingList)
    for one in delivery.edits.insertions where result.refused[one.foreignID] == nil {
      delivered.append(
        DeliveredRecord(
          type: .readingList, foreignID: one.foreignID, before: nil, after: .readingListItem(one.item)))
    }
  }

  private func applyCards() throws {
    let held = try editor.heldCards()
    var delivery = ItemDelivery(cards: held)
    try read(.cards) { batch in
      guard case .cards(let cards) = batch else { return }
      for card in cards where isWanted(card.profile) {
        report[.cards].found += 1
        guard let fitted = fitted(editor.fit(card), .cards, card.id) else { continue }
        let outcome = delivery.take(fitted) { attempt in
          editor.foreignID(for: card.id, type: .cards, guid: nil, attempt: attempt)
        }
        count(outcome, .cards)
      }
    }
    guard !delivery.edits.isEmpty else { return }
    let result = try editor.apply(delivery.edits)
    note(result, .cards)
    for one in delivery.edits.insertions + delivery.edits.updates where result.refused[one.foreignID] == nil {
      let before = held.first { $0.foreignID == one.foreignID }.map { Record.paymentCard($0.item) }
      delivered.append(
        DeliveredRecord(type: .cards, foreignID: one.foreignID, before: before, after: .paymentCard(one.item)))
    }
  }

  private func count<Item>(_ outcome: ItemDelivery<Item>.Outcome, _ type: DataType) {
    switch outcome {
    case .added: report[type].added += 1
    case .changed: report[type].changed += 1
    case .unchanged: report[type].unchanged += 1
    }
  }

  private func applyLogins() throws {
    var delivery = LoginDelivery(try editor.heldLogins())
    try read(.passwords) { batch in
      guard case .logins(let logins) = batch else { return }
      for login in logins where isWanted(login.profile) {
        report[.passwords].found += 1
        guard let fitted = fitted(editor.fit(login), .passwords, login.id) else { continue }
        let outcome = delivery.take(fitted) { attempt in
          editor.foreignID(for: login.id, type: .passwords, guid: login.guid, attempt: attempt)
        }
        switch outcome {
        case .added: report[.passwords].added += 1
        case .unchanged: report[.passwords].unchanged += 1
        case .conflict:
          report[.passwords].conflicts += 1
          report.add(
            Remark(
              .warning, type: .passwords, place: .id(login.id.description),
              reason: "the profile has another password for it, which was kept"))
        }
      }
    }
    guard !delivery.edits.isEmpty else { return }
    let result = try editor.apply(delivery.edits)
    note(result, .passwords)
    for one in delivery.edits.insertions where result.refused[one.foreignID] == nil {
      delivered.append(
        DeliveredRecord(type: .passwords, foreignID: one.foreignID, before: nil, after: .login(one.item)))
    }
  }

  // MARK: - History

  private func applyHistory() throws {
    let total = progress == nil ? 0 : try source.counts(of: .history)[.history]
    var flat = FlatHistory()
    var (found, read) = (0, 0)
    try self.read(.history) { batch in
      switch batch {
      case .pages(let pages): try editor.insert(pages)
      case .visits(let visits):
        let wanted = only(visits)
        found += wanted.visits.count
        read += visits.visits.count
        try editor.insert(wanted)
        progress?(min(read, total - 1), total)
      case .history(let visits):
        let (pages, wanted) = flat.split(visits.filter { isWanted($0.profile) })
        found += wanted.visits.count
        read += visits.count
        try editor.insert(pages)
        try editor.insert(wanted)
        progress?(min(read, total - 1), total)
      case .bookmarks, .readingList, .extensions, .logins, .cards, .remarks: break
      }
    }
    let result = try editor.finishHistory()
    if read > 0 { progress?(total, total) }
    mark = result.mark
    report[.history].added += result.added
    report[.history].unchanged += result.unchanged
    report[.history].found += found - result.remarks.count
    for remark in result.remarks { report.add(remark) }
    report[.history].skipped += result.skipped - result.remarks.count
    for (loss, count) in result.losses { losses.add(.history, loss, count: count) }
  }

  private func only(_ batch: VisitBatch) -> VisitBatch {
    guard let profile else { return batch }
    let wanted = batch.profiles.indices.filter { batch.profiles[$0] == profile }.map { Int32($0) }
    var result = batch
    result.visits = batch.visits.filter { wanted.contains($0.profile) }
    return result
  }
}
