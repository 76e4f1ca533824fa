import Browsers
import BrowsingData
import Formats
import Glibc
import Store
import Transfer

/// Opens what the person names as a source of records.
struct Sources {
  /// The word for this device's own store.
  static let store = "store"

  private let context: Context
  private let passwordFile: String?

  init(_ context: Context, passwordFile: String? = nil) {
    self.context = context
    self.passwordFile = passwordFile
  }

  /// Opens a profile (`firefox`, `chrome:NAME`, a folder) or a file (a path, or a format and a path).
  func open(_ text: String) throws -> OpenSource {
    if text == Sources.store {
      throw UsageError("The store is no source for its own records.", hint: "Name a file or a profile.")
    }
    let word = text.split(separator: ":").first.map(String.init) ?? text
    if Browser(rawValue: word) != nil { return try open(try ProfileDiscovery.current().profile(text)) }
    if let colon = text.firstIndex(of: ":"), Sources.namesFormat(word) {
      let path = String(text[text.index(after: colon)...])
      return try open(path, withoutHeader: word == FileSource.onePasswordWord)
    }
    if let profile = ProfileDiscovery.recognise(path: text) { return try open(profile) }
    return try open(text, withoutHeader: false)
  }

  /// Whether a word before a colon names a format. Only one says what the content does not show.
  private static func namesFormat(_ word: String) -> Bool {
    FileFormat(word: word) != nil || word == FileSource.onePasswordWord
  }

  /// Waits until no browser has the profile open.
  func waitUntilClosed(_ text: String) throws {
    let profile = try ProfileDiscovery.current().profile(text).open()
    if profile.isOpen { context.output.note("Waiting until \(profile.browser.name) is closed …") }
    while profile.isOpen {
      try Interruption.shared.check()
      sleep(1)
    }
  }

  /// A source for a transfer, which opens it on a thread of its own and names it by words that hold after a restart.
  /// A primary password that is needed is asked for at once; secrets that stay locked are not offered.
  func sendable(_ text: String, _ types: DataTypes?, _ faults: SourceFaults) throws -> ExportSession.Source {
    let words = Sources.lasting(text)
    let opened = try open(words)
    var wanted: DataTypes = .all
    var password: String?
    if let profile = opened.source as? any BrowserProfile, try Sources.isLocked(profile) {
      password = try self.password(for: profile)
      if password == nil {
        if let types, !types.isDisjoint(with: .secrets) {
          throw ProfileError.secretsLocked(.primaryPassword)
        }
        context.output.warning("\(visible(text)) has a primary password: its passwords and cards are not offered.")
        wanted = .withoutSecrets
      }
    }
    let allowed = wanted, known = password
    return ExportSession.Source(words: words) { [self] in
      let opened = try open(words)
      if let known, let profile = opened.source as? any BrowserProfile { try profile.unlock(password: known) }
      return LimitedSource(source: opened.source, types: opened.source.types.intersection(allowed))
    }
  }

  /// A path as it holds from any folder; other words as they are.
  static func lasting(_ text: String) -> String {
    let word = text.split(separator: ":").first.map(String.init) ?? text
    if Browser(rawValue: word) != nil || text.hasPrefix("/") { return text }
    guard let folder = getcwd(nil, 0) else { return text }
    defer { free(folder) }
    let here = String(cString: folder)
    if let colon = text.firstIndex(of: ":"), namesFormat(word) {
      let path = text[text.index(after: colon)...]
      return path.hasPrefix("/") ? text : "\(word):\(here)/\(path)"
    }
    return "\(here)/\(text)"
  }

  private static func isLocked(_ profile: any BrowserProfile) throws -> Bool {
    struct Enough: Error {}
    do {
      try profile.read(.secrets) { _ in throw Enough() }
      return false
    } catch is Enough {
      return false
    } catch let error as ProfileError {
      if case .secretsLocked = error { return true }
      throw error
    }
  }

  private func password(for profile: any BrowserProfile) throws -> String? {
    if let passwordFile { return try Sources.password(passwordFile) }
    for _ in 0..<3 {
      guard let password = context.prompts.secret("Primary password of \(profile.browser.name) (Return: leave out):"),
        !password.isEmpty
      else { return nil }
      do throws(ProfileError) {
        try profile.unlock(password: password)
        return password
      } catch .wrongPassword {
        context.output.note("That is not the password.")
      }
    }
    throw ProfileError.wrongPassword
  }

  private func open(_ path: String, withoutHeader: Bool) throws -> OpenSource {
    let label = path.split(separator: "/").last.map(String.init) ?? path
    do throws(FormatError) {
      let source = try withoutHeader ? FileSource.openOnePassword(path) : FileSource.open(path)
      return OpenSource(source: source, label: label, sources: self)
    } catch {
      throw Failure(error, of: label)
    }
  }

  private func open(_ profile: ProfileReference) throws -> OpenSource {
    let opened = try profile.open()
    if let passwordFile { try opened.unlock(password: try Sources.password(passwordFile)) }
    return OpenSource(source: opened, label: profile.source, sources: self)
  }

  /// A source of which only some types are given.
  struct LimitedSource: RecordSource {
    let source: any RecordSource
    let types: DataTypes

    func counts() throws -> RecordCounts { try source.counts(of: types) }
    func counts(of types: DataTypes) throws -> RecordCounts { try source.counts(of: types.intersection(self.types)) }

    func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
      try source.read(types.intersection(self.types), into: consume)
    }
  }

  /// The first line of a file, or of standard input.
  static func password(_ path: String) throws -> String {
    if path == "-" {
      guard let line = Terminal.line() else {
        throw Failure(
          .usage, "Standard input holds no password.", hint: "Write it there, or name a file by --password-file.")
      }
      return line
    }
    guard let line = firstLine(of: path) else {
      throw Failure(
        .notFound, "The password file cannot be read: \(String(cString: strerror(errno))).",
        hint: "Look at the path after --password-file.")
    }
    return line
  }

  /// Asks for the primary password; false when nothing was typed.
  fileprivate func unlock(_ profile: any BrowserProfile) throws -> Bool { try password(for: profile) != nil }
}

/// A source that was opened.
struct OpenSource {
  let source: any RecordSource
  /// What a person knows it by.
  let label: String
  fileprivate let sources: Sources

  /// Reads these types, all when none are named, into an import. Asks for a primary password when one is needed.
  func pour(_ types: DataTypes?, into run: ImportRun, _ context: Context) throws {
    let wanted = (types ?? .all).intersection(source.types)
    if let types, wanted.isEmpty, !types.isEmpty {
      context.output.warning("\(visible(label)) holds no \(list(types.each.map(\.name))).")
    }
    func read() throws {
      try source.read(wanted) { batch in
        try Interruption.shared.check()
        try run.apply(batch)
      }
    }
    do {
      try read()
    } catch let error as ProfileError {
      if case .corrupt = error, wanted.each.count > 1 {
        var failure = Failure(of: error)
        failure.hint =
          (failure.hint.map { $0 + " " } ?? "")
          + "Or take the rest now: --types names what to take, without what this file holds."
        throw failure
      }
      // A locked profile says so before it hands over anything.
      guard case .secretsLocked = error, let profile = source as? any BrowserProfile, try sources.unlock(profile) else {
        throw error
      }
      try read()
    } catch let error as FormatError {
      throw Failure(error, of: label)
    }
  }
}

/// The first line of a file without its end; nil when it cannot be read (`errno`).
func firstLine(of path: String) -> String? {
  let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
  if descriptor < 0 { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = read(descriptor, &bytes, bytes.count)
  if count < 0 { return nil }
  var line = bytes[..<count].prefix { $0 != 10 }
  if line.last == 13 { line.removeLast() }
  return String(decoding: line, as: UTF8.self)
}
