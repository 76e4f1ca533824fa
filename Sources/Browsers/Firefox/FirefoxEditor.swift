package import BrowsingData
internal import Crypto
internal import Glibc
internal import SQLite

/// Edits a profile of Firefox. places.sqlite changes in one transaction, each JSON file is replaced as a whole; what
/// other files need (a key) is written before them.
package final class FirefoxEditor: ProfileEditor {
  private let browser: Browser
  private let path: String
  private let options: EditorOptions
  private let lock: HeldFirefoxLock?
  private let copies: TemporaryFolder?
  private var places: PlacesFile?
  private var history: PlacesHistoryWriter?
  private var keys: FirefoxKeys?
  private var newKeys: [FirefoxNewKey] = []
  private var logins: FirefoxLoginFile?
  private var cards: FirefoxCardFile?
  private var backup: ProfileBackup
  private var hasChangedPlaces = false

  /// What a person calls the browser.
  package var browserName: String { browser.name }
  /// What it can hold. Firefox has no reading list.
  package let types: DataTypes = [.bookmarks, .extensions, .passwords, .cards, .history]

  /// Opens a profile's folder; `ProfileReference.openEditor` says what it throws.
  package init(path: String, browser: Browser = .firefox, _ options: EditorOptions) throws(ProfileError) {
    self.path = path
    self.browser = browser
    self.options = options
    backup = ProfileBackup(of: path, in: options.backups, edit: options.name)
    guard ProfileFile.stamp(path + "/" + PlacesSchema.file) != nil else {
      guard ProfileFile.isFolder(path) else { throw .notFound(path) }
      throw .neverStarted(PlacesSchema.file)
    }
    if options.isDryRun {
      lock = nil
      let folder = try TemporaryFolder()
      copies = folder
      do {
        let copy = try DatabaseSnapshot.copy(of: path + "/" + PlacesSchema.file, into: folder.path)
        places = try PlacesFile(path: copy, now: options.now.microseconds)
      } catch {
        throw PlacesFile.failure(error)
      }
    } else {
      copies = nil
      lock = try HeldFirefoxLock(path)
      places = try PlacesFile(path: path + "/" + PlacesSchema.file, now: options.now.microseconds)
      try step(.locked)
    }
  }

  private func step(_ step: EditorStep) throws(ProfileError) {
    do {
      try options.step?(step)
    } catch {
      throw error as? ProfileError ?? .unwritable(file: path, reason: "stopped after \(step.rawValue)")
    }
  }

  // MARK: - What is there

  /// Every bookmark, folder and separator.
  package func heldBookmarks() throws -> [Held<Bookmark>] {
    let database = ProfileDatabase(PlacesSchema.file, over: try open().database)
    var held: [Held<Bookmark>] = []
    var reader = try PlacesBookmarks(database, profile: nil, application: browser.application)
    try reader.read { batch in
      guard case .bookmarks(let bookmarks) = batch else { return }
      for bookmark in bookmarks { held.append(Held(bookmark.guid ?? "#\(held.count)", bookmark)) }
    }
    return held
  }

  /// None: Firefox has no reading list.
  package func heldReadingList() throws -> [Held<ReadingListItem>] { [] }

  /// Every login that opens.
  package func heldLogins() throws -> [Held<Login>] {
    let file = try loginFile()
    return file.isEmpty ? [] : file.held(try openKeys(), browser.application)
  }

  /// Every card that opens.
  package func heldCards() throws -> [Held<PaymentCard>] {
    let file = try cardFile()
    return file.isEmpty ? [] : file.held(try openKeys(), browser.application)
  }

  /// The identifiers of the extensions that are installed.
  package func heldExtensions() throws -> Set<String> { try FirefoxExtensions.identifiers(path) }

  // MARK: - What it can hold

  /// A bookmark as Firefox would hold it, at any depth.
  package func fit(_ bookmark: Bookmark, depth: Int) -> Fitting<Bookmark> { PlacesFitting.fit(bookmark) }

  /// Nothing: Firefox has no reading list.
  package func fit(_ item: ReadingListItem) -> Fitting<ReadingListItem> {
    .lost(FieldLoss("item", "Firefox has no reading list"))
  }

  /// A login as Firefox would hold it.
  package func fit(_ login: Login) -> Fitting<Login> {
    guard hasKeyFile else { return .lost(FieldLoss("login", "the profile has no key4.db: start Firefox once")) }
    return FirefoxLoginFile.fit(login)
  }

  /// A card as Firefox would hold it.
  package func fit(_ card: PaymentCard) -> Fitting<PaymentCard> {
    guard hasKeyFile else { return .lost(FieldLoss("card", "the profile has no key4.db: start Firefox once")) }
    guard canSealCards else {
      return .lost(FieldLoss("card", "Firefox keeps the key of cards in the desktop's keyring on this machine"))
    }
    return FirefoxCardFile.fit(card)
  }

  private var hasKeyFile: Bool { ProfileFile.stamp(path + "/" + FirefoxKeys.file) != nil }

  /// Where libsecret is, Firefox makes and seeks the key of cards in the keyring; one in key4.db it would not find.
  private lazy var canSealCards: Bool = {
    if (try? openKeys())?.cardKey != nil { return true }
    let folders = ["/usr/lib", "/usr/lib64", "/lib", "/usr/local/lib"]
    let inner = folders + ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "/usr/lib/" + $0 }
    return !inner.contains { access($0 + "/libsecret-1.so.0", F_OK) == 0 }
  }()

  /// Its page at Mozilla's, or a search there for one like it.
  package func page(of browserExtension: BrowserExtension) -> String {
    let identifier = browserExtension.identifier
    let store = "https://addons.mozilla.org/firefox/"
    if browserExtension.store == "amo" || identifier.contains("@") || identifier.hasPrefix("{") {
      return store + "addon/" + FirefoxEditor.escaped(browserExtension.storeIdentifier ?? identifier) + "/"
    }
    return store + "search/?q=" + FirefoxEditor.escaped(browserExtension.name)
  }

  private static func escaped(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95, 126: result.append(byte)
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += ("%" + (digits.count == 1 ? "0" : "") + digits).utf8
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The record's own GUID where it is one of Firefox's, else one made from its id.
  package func foreignID(for id: RecordID, type: DataType, guid: String?, attempt: Int) -> String {
    if attempt == 0, let guid {
      switch type {
      case .bookmarks: if PlacesFile.isGUID(guid) { return guid }
      case .passwords: if FirefoxEditor.isLoginGUID(guid) { return guid }
      case .readingList, .extensions, .cards, .history, .resources: break
      }
    }
    let seed = Array("wherry-firefox-1".utf8) + [type.rawValue, UInt8(clamping: attempt)] + id.bytes
    let bytes = Hash.blake2b(seed, length: 16)
    switch type {
    case .passwords: return "{" + FirefoxEditor.uuid(bytes) + "}"
    case .cards: return String(hexadecimal(bytes).prefix(12))
    case .bookmarks, .readingList, .extensions, .history, .resources:
      return PlacesFile.guid(Array(bytes.prefix(9)))
    }
  }

  private static func isLoginGUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 38, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return false }
    return bytes[1..<37].enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index) ? byte == 45 : (48...57).contains(byte) || (97...102).contains(byte)
    }
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    var bytes = bytes
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += hexadecimal([byte])
    }
    return text
  }

  // MARK: - Changing

  /// Carries out edits of bookmarks.
  package func apply(_ edits: BookmarkEdits) throws -> EditResult {
    guard !edits.isEmpty else { return EditResult() }
    let places = try begin()
    let result = try mapping { try PlacesBookmarkWriter(places).apply(edits) }
    hasChangedPlaces = true
    try step(.insertedBookmarks)
    return result
  }

  /// Nothing: all are refused.
  package func apply(_ edits: ItemEdits<ReadingListItem>) throws -> EditResult {
    var result = EditResult()
    for held in edits.insertions { result.refused[held.foreignID] = "Firefox has no reading list" }
    return result
  }

  /// Carries out edits of logins; they are written at `commit`.
  package func apply(_ edits: ItemEdits<Login>) throws -> EditResult {
    guard !edits.isEmpty else { return EditResult() }
    var file = try loginFile()
    var keys = try openKeys()
    if keys.loginKey == nil {
      guard hasKeyFile else { throw ProfileError.neverStarted(FirefoxKeys.file) }
      let made = FirefoxNewKey(for: .logins)
      keys.add(made)
      newKeys.append(made)
      self.keys = keys
    }
    let result = try file.apply(edits, keys)
    logins = file
    return result
  }

  /// Carries out edits of cards; they are written at `commit`.
  package func apply(_ edits: ItemEdits<PaymentCard>) throws -> EditResult {
    guard !edits.isEmpty else { return EditResult() }
    var file = try cardFile()
    var keys = try openKeys()
    if keys.cardKey == nil {
      guard hasKeyFile else { throw ProfileError.neverStarted(FirefoxKeys.file) }
      let made = FirefoxNewKey(for: .cards)
      keys.add(made)
      newKeys.append(made)
      self.keys = keys
    }
    let result = try file.apply(edits, keys)
    cards = file
    return result
  }

  /// Takes pages.
  package func insert(_ pages: PageBatch) throws {
    let history = try historyWriter()
    try mapping { try history.insert(pages) }
  }

  /// Takes visits.
  package func insert(_ visits: VisitBatch) throws {
    let history = try historyWriter()
    try mapping { try history.insert(visits) }
  }

  /// Ends the visits.
  package func finishHistory() throws -> HistoryResult {
    guard let history else { return HistoryResult() }
    let result = try mapping { try history.finish() }
    self.history = nil
    if result.added > 0 || history.hasFilledTitles { hasChangedPlaces = true }
    try step(.insertedVisits)
    return result
  }

  /// Removes visits, and pages that nothing else holds.
  package func removeVisits(_ removals: [VisitRemoval]) throws -> Int {
    let places = try begin()
    let count = try mapping { try PlacesRemoval(places: places).remove(removals) }
    if count > 0 { hasChangedPlaces = true }
    return count
  }

  /// Removes the visits that an earlier editor of this profile inserted.
  package func takeBackHistory(mark: String) throws -> Int {
    guard let mark = HistoryMark(mark) else { return 0 }
    let places = try begin()
    let count = try mapping { try PlacesRemoval(places: places).takeBack(mark) }
    if count > 0 { hasChangedPlaces = true }
    return count
  }

  private func historyWriter() throws -> PlacesHistoryWriter {
    if let history { return history }
    let places = try begin()
    let made = try mapping { try PlacesHistoryWriter(places) }
    history = made
    return made
  }

  // MARK: - The end

  /// Makes everything durable: keys, then the database, then the files that need the keys.
  package func commit() throws -> [ChangedFile] {
    let (logins, cards) = (self.logins, self.cards)
    guard !options.isDryRun else {
      abandon()
      return []
    }
    if !newKeys.isEmpty { try backup.keep(FirefoxKeys.file) }
    if logins?.hasChanged == true { try backup.keep(FirefoxLogins.file) }
    if cards?.hasChanged == true { try backup.keep(FirefoxCards.file) }
    try step(.keptFiles)
    if !newKeys.isEmpty, let wrapping = keys?.wrapping {
      try FirefoxNewKey.write(newKeys, to: path + "/" + FirefoxKeys.file, wrapping)
      newKeys = []
      try step(.wroteKeys)
    }
    try commitPlaces()
    try step(.wroteDatabase)
    if let logins, logins.hasChanged {
      try ProfileFile.replace(path + "/" + FirefoxLogins.file, with: logins.bytes)
      self.logins = nil
      try step(.wroteLogins)
    }
    if let cards, cards.hasChanged {
      try ProfileFile.replace(path + "/" + FirefoxCards.file, with: cards.bytes)
      self.cards = nil
      try step(.wroteCards)
    }
    return backup.changedFiles()
  }

  private func commitPlaces() throws {
    guard let places else { return }
    if hasChangedPlaces {
      try mapping { try places.commit() }
    } else {
      places.rollBack()
      backup.forget(PlacesSchema.file)
    }
    history = nil
    self.places = nil
  }

  /// Leaves the profile as it was.
  package func abandon() {
    history = nil
    places?.rollBack()
    places = nil
    backup.forget(PlacesSchema.file)
    newKeys = []
    logins = nil
    cards = nil
    keys = nil
  }

  /// Puts back what an earlier editor changed.
  package func restore(_ files: [ChangedFile]) throws -> Bool {
    guard !options.isDryRun else { return false }
    places?.rollBack()
    history = nil
    places = nil
    return try ProfileBackup.restore(files, of: path, from: options.backups)
  }

  // MARK: -

  private func open() throws -> PlacesFile {
    if let places { return places }
    guard !options.isDryRun else { throw ProfileError.unwritable(file: PlacesSchema.file, reason: "it was let go") }
    let opened = try PlacesFile(path: path + "/" + PlacesSchema.file, now: options.now.microseconds)
    places = opened
    return opened
  }

  /// Keeps the file's former contents and begins the transaction.
  private func begin() throws -> PlacesFile {
    let places = try open()
    guard !places.database.isInTransaction else { return places }
    if !options.isDryRun {
      try backup.keep(PlacesSchema.file)
      try step(.keptDatabase)
    }
    try mapping { try places.begin() }
    return places
  }

  private func loginFile() throws(ProfileError) -> FirefoxLoginFile {
    if let logins { return logins }
    return try FirefoxLoginFile(profile: path, now: options.now)
  }

  private func cardFile() throws(ProfileError) -> FirefoxCardFile {
    if let cards { return cards }
    return try FirefoxCardFile(profile: path, now: options.now)
  }

  private func openKeys() throws(ProfileError) -> FirefoxKeys {
    if let keys { return keys }
    guard hasKeyFile else { return FirefoxKeys() }
    // The lock that says "open" is ours, unless this is a dry run.
    let isOpen = options.isDryRun && ProfileLock.isFirefoxOpen(path)
    let folder = ProfileFolder(path: path, isOpen: isOpen, temporary: nil)
    let opened = try FirefoxKeys(profile: folder, password: options.password)
    keys = opened
    return opened
  }

  private func mapping<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw ProfileError(error, file: PlacesSchema.file)
    }
  }
}
