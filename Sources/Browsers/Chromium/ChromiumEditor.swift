package import BrowsingData
internal import Crypto
internal import SQLite

/// A profile of Chromium, or of a browser made from it, that is written.
package final class ChromiumEditor: ProfileEditor {
  let browser: Browser
  let label: String?
  let files: EditedFiles
  let folder: ProfileFolder
  let secrets: ChromiumSecrets
  /// In a dry run: where the copy is.
  private let copy: TemporaryFolder?
  private let options: EditorOptions
  private var lock: ChromiumLock?
  private var editedBookmarks: ChromiumBookmarkEditing?
  private var editedReadingList: ChromiumReadingListEditing?
  private var databases: [String: EditedDatabase] = [:]
  private var visits: ChromiumVisitWriter?
  private var loginRows: [RecordID: Int64] = [:]
  /// The foreign ids of reading-list items that were fitted: their addresses make them.
  var listIDs: [RecordID: String] = [:]

  /// Opens a profile's folder and takes the browser's lock; `ProfileReference.openEditor` says what it throws. The
  /// options' password is what the desktop's keyring keeps for the browser; without it the keyring is asked, at the bus
  /// of an address or the user's session.
  package init(
    path: String, browser: Browser = .chromium, label: String? = nil, keyringBus: String? = nil,
    _ options: EditorOptions
  ) throws(ProfileError) {
    guard ChromiumProfile.isProfile(path) else { throw .notFound(path) }
    self.browser = browser
    self.label = label
    self.options = options
    if options.isDryRun {
      let copy = try TemporaryFolder()
      try ChromiumProfileCopy.make(of: path, in: copy)
      self.copy = copy
      files = EditedFiles(folder: copy.path, backup: nil)
    } else {
      copy = nil
      lock = try ChromiumLock(ChromiumProfile.userData(of: path))
      files = EditedFiles(folder: path, backup: ProfileBackup(of: path, in: options.backups, edit: options.name))
    }
    folder = ProfileFolder(path: files.folder, isOpen: false, temporary: nil)
    secrets = try ChromiumKeyring.secrets(of: folder, browser, given: options.password, bus: keyringBus)
    if let lock { files.beforeStep = { [unowned lock] _ in try ChromiumEditor.require(lock) } }
    do { try options.step?(.locked) } catch { throw .unwritable(file: path, reason: "stopped") }
  }

  private var now: Timestamp { options.now }

  private static func require(_ lock: ChromiumLock) throws(ProfileError) {
    lock.attend()
    guard lock.isHeld else { throw .inUse("the profile") }
  }

  /// For tests: called before each step that changes the profile for good; what it throws ends the editing there.
  package func interrupt(_ beforeStep: @escaping (_ step: String) throws -> Void) { files.beforeStep = beforeStep }

  /// What a person calls the browser.
  package var browserName: String { browser.name }
  /// It can hold everything.
  package var types: DataTypes { .all }

  // MARK: - What is there

  /// Every bookmark and folder, of the device and of the account.
  package func heldBookmarks() throws -> [Held<Bookmark>] {
    lock?.attend()
    let reader = ChromiumBookmarks(secrets: secrets, profile: label, application: browser.application)
    return try withBookmarks { $0.held(reader) }
  }

  /// Every entry of the reading list.
  package func heldReadingList() throws -> [Held<ReadingListItem>] {
    let reader = ChromiumReadingList(profile: label, application: browser.application)
    return try ChromiumReadingList.items(folder).compactMap { entry in
      entry.map { Held(ChromiumReadingListEditing.foreignID($0.url), reader.record($0)) }
    }
  }

  /// Every login that opens. Throws `secretsLocked` when the keyring locks one.
  package func heldLogins() throws -> [Held<Login>] {
    lock?.attend()
    let reader = ChromiumLogins(secrets: secrets, profile: label, application: browser.application)
    return try reader.held(folder).enumerated().map { index, entry in
      Held(entry.row.map { String($0) } ?? "account \(index)", entry.login)
    }
  }

  /// Every card that opens. Throws `secretsLocked` when the keyring locks one.
  package func heldCards() throws -> [Held<PaymentCard>] {
    try ChromiumCards(secrets: secrets, profile: label, application: browser.application).held(folder)
  }

  /// The identifiers of the extensions that are installed.
  package func heldExtensions() throws -> Set<String> { try ChromiumExtensions.identifiers(folder) }

  private func withBookmarks<T>(_ body: (inout ChromiumBookmarkEditing) throws -> T) throws -> T {
    var bookmarks = try editedBookmarks ?? ChromiumBookmarkEditing(folder, secrets: secrets, now: now)
    editedBookmarks = nil
    defer { editedBookmarks = bookmarks }
    return try body(&bookmarks)
  }

  // MARK: - Ids

  /// A bookmark has its own GUID or one made of its id, a card one made of its id; a login the next free row, whose number
  /// Chromium gives out only once.
  package func foreignID(for id: RecordID, type: DataType, guid: String?, attempt: Int) -> String {
    switch type {
    case .bookmarks:
      if attempt == 0, let guid, ChromiumGUID.isValid(guid), !BookmarksFile.reserved.contains(guid) { return guid }
      return ChromiumGUID.make(of: id, attempt: attempt)
    case .passwords:
      if attempt == 0, let row = loginRows[id] { return String(row) }
      let row = nextLoginRow()
      loginRows[id] = row
      return String(row)
    case .readingList:
      let made = listIDs[id] ?? id.description
      return attempt == 0 ? made : "\(made) \(attempt)"
    case .cards, .history, .extensions, .resources: return ChromiumGUID.make(of: id, attempt: attempt)
    }
  }

  private var lastLoginRow: Int64?

  private func nextLoginRow() -> Int64 {
    let edited = try? database(ChromiumSchema.editableLogins)
    let highest = try? edited?.run {
      max(
        try $0.int64("SELECT seq FROM sqlite_sequence WHERE name = 'logins'") ?? 0,
        try $0.int64("SELECT max(id) FROM logins") ?? 0)
    }
    let row = (lastLoginRow ?? highest ?? 0) &+ 1
    lastLoginRow = row
    return row
  }

  // MARK: - Changing

  private func database(_ editable: ChromiumSchema.Editable) throws -> EditedDatabase {
    lock?.attend()
    if let database = databases[editable.file.name] { return database }
    let database = try ChromiumSchema.edit(editable, in: files)
    databases[editable.file.name] = database
    return database
  }

  /// Carries out edits of bookmarks.
  package func apply(_ edits: BookmarkEdits) throws -> EditResult { try withBookmarks { $0.apply(edits) } }

  /// Carries out edits of the reading list.
  package func apply(_ edits: ItemEdits<ReadingListItem>) throws -> EditResult {
    var editing = ChromiumReadingListEditing(folder, now: now)
    defer { editedReadingList = editing }
    return try editing.apply(edits)
  }

  /// Carries out edits of logins.
  package func apply(_ edits: ItemEdits<Login>) throws -> EditResult {
    if edits.isEmpty { return EditResult() }
    var editing = ChromiumLoginEditing(try database(ChromiumSchema.editableLogins), secrets: secrets, now: now)
    return try editing.apply(edits)
  }

  /// Carries out edits of cards.
  package func apply(_ edits: ItemEdits<PaymentCard>) throws -> EditResult {
    if edits.isEmpty { return EditResult() }
    return try ChromiumCardEditing(try database(ChromiumSchema.editableWebData), secrets: secrets, now: now).apply(
      edits)
  }

  private func visitWriter() throws -> ChromiumVisitWriter {
    if let visits { return visits }
    let writer = try ChromiumVisitWriter(try database(ChromiumSchema.editableHistory))
    visits = writer
    return writer
  }

  /// Takes pages.
  package func insert(_ pages: PageBatch) throws {
    lock?.attend()
    try visitWriter().insert(pages)
  }

  /// Takes visits, which are written when all have come.
  package func insert(_ visits: VisitBatch) throws {
    lock?.attend()
    try visitWriter().insert(visits, now: now)
  }

  /// Writes the visits that are new.
  package func finishHistory() throws -> HistoryResult {
    guard let writer = visits else { return HistoryResult() }
    visits = nil
    return try writer.finish()
  }

  /// Removes visits, and pages that nothing else holds.
  package func removeVisits(_ removals: [VisitRemoval]) throws -> Int {
    try ChromiumVisitRemoval(try database(ChromiumSchema.editableHistory)).remove(removals)
  }

  /// Removes the visits that an earlier editor of this profile inserted.
  package func takeBackHistory(mark: String) throws -> Int {
    guard let mark = ChromiumVisitMark(mark) else { return 0 }
    return try ChromiumVisitRemoval(try database(ChromiumSchema.editableHistory)).remove(mark)
  }

  // MARK: - The end

  /// File after file; each is whole before and after.
  package func commit() throws -> [ChangedFile] {
    do {
      for (name, database) in databases.sorted(by: { $0.key < $1.key }) {
        try database.commit()
        databases[name] = nil
        try options.step?(.wroteDatabase)
      }
      for file in editedBookmarks?.changedFiles ?? [] { try commit(file) }
      if let log = editedReadingList?.changed { try files.replace(log.name, with: log.bytes) }
    } catch {
      abandon()
      throw error
    }
    forget()
    return files.changedFiles()
  }

  /// The former file stays beside the new one, as the browser does it. The encrypted copy goes: the browser makes it anew,
  /// whichever of the two it reads.
  private func commit(_ file: (name: String, bytes: [UInt8])) throws {
    if let old = try ProfileFile.read(files.path(file.name)) { try files.replace(file.name + ".bak", with: old) }
    try files.replace(file.name, with: file.bytes)
    for names in ChromiumBookmarks.files where names.plain == file.name {
      try files.remove(names.sealed)
      try files.remove(names.sealed + ".bak")
    }
  }

  /// Leaves the profile as it was.
  package func abandon() {
    for database in databases.values { database.abandon() }
    forget()
  }

  deinit { abandon() }

  private func forget() {
    visits = nil
    databases = [:]
    editedBookmarks = nil
    editedReadingList = nil
    loginRows = [:]
    lastLoginRow = nil
  }

  /// Puts back what an earlier editor changed.
  package func restore(_ files: [ChangedFile]) throws -> Bool {
    guard !options.isDryRun else { return false }
    if let lock { try ChromiumEditor.require(lock) }
    abandon()
    return try ProfileBackup.restore(files, of: self.files.folder, from: options.backups)
  }
}
