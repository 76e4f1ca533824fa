package import BrowsingData
internal import Merge
package import Store

/// One attached profile and the store, kept in step: looks through the profile, and delivers into it when its browser is
/// closed.
package struct AttachedProfile {
  private let store: RecordStore
  private let attachment: Attachment

  /// The attachment must be saved.
  package init(_ attachment: Attachment, in store: RecordStore) {
    self.attachment = attachment
    self.store = store
  }

  private var label: String { "from \(attachment.words)" }

  /// Takes into the store what is new in a profile, read through a snapshot, so that its browser may run. Throws
  /// `tooManyMissing`, and takes no bookmarks, when more are gone than a person would delete; `force` passes that. What was
  /// done is noted at the attachment.
  ///
  /// Of a history only what came since is read, of bookmarks nothing where none has changed, and nothing at all where the
  /// profile's files are as they were; everything once a day and when forced.
  package func scan(
    _ source: any RecordSource, force: Bool = false, now: Timestamp = WallClock.now
  ) throws -> ApplyReport {
    let isWhole = force || isWholeDue(now)
    let types = attachment.types.intersection(source.types)
    var done = attachment
    done.mark = (source as? any MarkedSource)?.mark()
    if !isWhole, attachment.hold == nil, let mark = done.mark, mark == attachment.mark {
      try store.noteScan(of: attachment, at: now)
      return ApplyReport()
    }
    let isBound = try store.hasBonds(of: attachment)
    let part = NewHistory(of: source, since: isWhole ? nil : attachment.historyRead)
    var report = try capture(part, isBound ? types.subtracting(.bookmarks) : types)
    if types.contains(.history) { done.historyRead = part.end }
    if isWhole || types.contains(.history) && part.isWhole { done.historyReadWhole = now }
    try store.noteScan(of: done, at: now)
    if types.contains(.bookmarks) {
      done.bookmarksMark = try (source as? any MarkedSource)?.bookmarksMark()
      let isKnown = !isWhole && isBound && done.bookmarksMark != nil && done.bookmarksMark == attachment.bookmarksMark
      if !isKnown { try scanBookmarks(source, force: force, &report) }
    }
    try store.noteMarks(of: done)
    if attachment.hold != nil { try store.hold(attachment, nil) }
    return report
  }

  /// Also where the clock went back: it says nothing about when that was.
  private func isWholeDue(_ now: Timestamp) -> Bool {
    guard let last = attachment.historyReadWhole else { return true }
    return !(0..<AttachedProfile.day).contains(now.microseconds - last.microseconds)
  }

  private static let day: Int64 = 86_400_000_000

  private func scanBookmarks(_ source: any RecordSource, force: Bool, _ report: inout ApplyReport) throws {
    var bookmarks: [Bookmark] = []
    try source.read(.bookmarks) { batch in if case .bookmarks(let some) = batch { bookmarks += some } }
    let held = try HeldTree(HeldTree.held(bookmarks))
    report[.bookmarks].found = held.items.count
    // As it was when both last agreed.
    guard try !held.isAsBound(by: store.bonds(of: attachment)) else { return }
    try store.noteChange(of: attachment)
    let found = try scan(held, force: force) { _, _ in "" }
    report[.bookmarks].added += found[.bookmarks].added
    report[.bookmarks].changed += found[.bookmarks].changed
    report[.bookmarks].removed += found[.bookmarks].removed
  }

  /// Makes the profile's bookmarks those of the store, having taken what is new in them. The editor is used up.
  package func deliverBookmarks(_ editor: any ProfileEditor, force: Bool = false) throws -> ApplyReport {
    do {
      let before = try HeldTree(editor.heldBookmarks())
      if try !before.isAsBound(by: store.bonds(of: attachment)) {
        _ = try scan(before, force: force) { id, guid in
          editor.foreignID(for: id, type: .bookmarks, guid: guid, attempt: 0)
        }
      }
      var mirror = BookmarkMirror(
        before, bonds: try store.bonds(of: attachment), shown: try store.shownBookmarks(), editor: editor)
      let edits = try mirror.edits(try store.shownBookmarks())
      var report = ApplyReport()
      report[.bookmarks].found = mirror.bound.count
      guard !edits.isEmpty else {
        editor.abandon()
        return report
      }
      let result = try editor.apply(edits)
      let after = try HeldTree(editor.heldBookmarks())
      _ = try editor.commit()
      // A crash before this costs nothing: the derived ids are known again.
      try bind(after, mirror.bound)
      report[.bookmarks].added = edits.insertions.count - result.refused.count
      report[.bookmarks].changed = Set(edits.updates.map(\.foreignID)).union(edits.moves.keys).count
      report[.bookmarks].removed = edits.removals.count
      return report
    } catch {
      editor.abandon()
      throw error
    }
  }

  /// Brings into the profile what the store has: bookmarks as they are shown; of history what came since the last time,
  /// without what was forgotten since; what else is missing. `open` gives an editor, or nil when the browser runs: then
  /// nothing more is done, and nil is given. What was done is noted at the attachment. A profile that did not change since
  /// the store last did is left alone, unless forced.
  package func deliver(
    force: Bool = false, now: Timestamp = WallClock.now, open: () throws -> (any ProfileEditor)?
  ) throws -> ApplyReport? {
    let start = try store.changeMark().sequence
    if !force, attachment.agreed == start { return ApplyReport() }
    guard var report = try deliverBookmarks(force, open) else { return nil }
    // What comes later is for the next time.
    let end = try store.changeMark().sequence
    guard let removed = try deliverForgotten(open), let rest = try deliverRest(open) else { return nil }
    report.add(rest)
    if removed > 0 { report[.history].removed += removed }
    var done = attachment
    if attachment.types.contains(.history) { (done.visitsDelivered, done.rulesDelivered) = (end, end) }
    done.lastDelivery = now
    done.agreed = start
    try store.save(done)
    return report
  }

  // Each of these has an editor to itself: the profile's lock goes with it.

  private func deliverBookmarks(_ force: Bool, _ open: () throws -> (any ProfileEditor)?) throws -> ApplyReport? {
    guard let editor = try open() else { return nil }
    if attachment.types.contains(.bookmarks), editor.types.contains(.bookmarks) {
      return try deliverBookmarks(editor, force: force)
    }
    editor.abandon()
    return ApplyReport()
  }

  private func deliverForgotten(_ open: () throws -> (any ProfileEditor)?) throws -> Int? {
    guard attachment.types.contains(.history) else { return 0 }
    let rules = try store.forgetRules(after: attachment.rulesDelivered)
    guard !rules.isEmpty else { return 0 }
    return try open().map { try forget(rules, in: $0) }
  }

  private func deliverRest(_ open: () throws -> (any ProfileEditor)?) throws -> ApplyReport? {
    let rest = attachment.types.subtracting([.bookmarks, .extensions])
    guard !rest.isEmpty else { return ApplyReport() }
    guard let editor = try open() else { return nil }
    var source = store.source()
    source.isPaged = true
    source.historyAfter = attachment.visitsDelivered
    return try ProfileDelivery(from: source, to: editor, types: rest)
      .deliver(journal: store, label: "to \(attachment.words)", path: attachment.path)
  }

  /// Takes what was forgotten out of the profile; how many visits went. There is no way back, as there is none in the store.
  private func forget(_ rules: [ForgetRule], in editor: any ProfileEditor) throws -> Int {
    do {
      let count = try editor.removeVisits(rules.map { VisitRemoval($0) })
      if count > 0 { _ = try editor.commit() } else { editor.abandon() }
      return count
    } catch {
      editor.abandon()
      throw error
    }
  }

  // MARK: -

  /// Kinds of which nothing is ever deleted because a profile does not have it come in as by an import.
  private func capture(_ source: any RecordSource, _ types: DataTypes) throws -> ApplyReport {
    guard !types.isEmpty else { return ApplyReport() }
    // Nothing new is no entry of the journal.
    let preview = try pour(source, types, isDryRun: true)
    guard preview.types.values.contains(where: { $0.added + $0.changed + $0.conflicts > 0 }) else { return preview }
    return try pour(source, types, isDryRun: false)
  }

  private func pour(_ source: any RecordSource, _ types: DataTypes, isDryRun: Bool) throws -> ApplyReport {
    var options = ImportOptions(kind: .capture, label: label)
    options.dryRun = isDryRun
    let run = try store.beginImport(options)
    do {
      try source.read(types) { try run.apply($0) }
      return try run.finish()
    } catch {
      run.abandon()
      throw error
    }
  }

  private func scan(
    _ held: HeldTree, force: Bool, derived: @escaping (RecordID, String?) -> String
  ) throws -> ApplyReport {
    let bonds = try store.bonds(of: attachment)
    var found: [Bond] = []
    let report = try store.edit(.capture, label: label) { edits in
      var scan = try BookmarkScan(held, bonds: bonds, in: edits, derived: derived)
      found = try scan.run(force: force)
      if found != bonds { try store.replaceBonds(of: attachment, by: found) }
    }
    return report
  }

  private func bind(_ held: HeldTree, _ records: [String: RecordID]) throws {
    let bonds = held.items.compactMap { item in
      records[item.foreignID].map { Bond(foreignID: item.foreignID, id: $0, shadow: item.shadow.bytes) }
    }
    try store.replaceBonds(of: attachment, by: bonds)
  }
}

extension VisitRemoval {
  /// What a rule takes out of a profile.
  init(_ rule: ForgetRule) {
    let scope: Scope =
      switch rule.scope {
      case .all: .all
      case .host: .host(rule.text)
      case .url: .url(rule.text)
      }
    // No browser knows times beyond; some count in steps of their own, which must not overflow.
    let end: Int64 = 253_402_300_800_000_000
    self.init(
      scope, from: Timestamp(microseconds: min(max(rule.from, 0), end)),
      until: Timestamp(microseconds: min(max(rule.to, 0), end)))
  }
}
