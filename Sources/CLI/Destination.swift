import Browsers
import BrowsingData
import Formats
import Glibc

/// Where records are to be written: a file in some format, or a profile.
enum Destination {
  case file(FileDestination)
  case profile(ProfileDestination)

  /// From what the person typed.
  init(_ text: String) throws {
    if let colon = text.firstIndex(of: ":"), let format = FileFormat(word: String(text[..<colon])) {
      let path = String(text[text.index(after: colon)...])
      if path.isEmpty { throw UsageError("\(quoted(text)) names no file.") }
      self = .file(FileDestination(format: format, path: path))
      return
    }
    let word = text.split(separator: ":").first.map(String.init) ?? text
    if text == Sources.store {
      throw UsageError("The store cannot be exported to itself.", hint: Destination.advice)
    }
    if Browser(rawValue: word) != nil {
      self = .profile(ProfileDestination(reference: try ProfileDiscovery.current().profile(text), words: text))
    } else if let found = ProfileDiscovery.recognise(path: text) {
      self = .profile(ProfileDestination(reference: found, words: text))
    } else if Destination.isUnusedProfile(text) {
      throw ProfileError.neverStarted("places.sqlite")
    } else if let format = FileFormat(guessedFrom: text) {
      self = .file(FileDestination(format: format, path: text))
    } else {
      throw UsageError("\(quoted(text)) does not say in which format to write.", hint: Destination.advice)
    }
  }

  /// Throws when nothing can be written there.
  func check(_ context: Context) throws {
    switch self {
    case .file(let file): try file.check()
    case .profile(let profile): try profile.check(context)
    }
  }

  /// A folder that Firefox has made for a profile but never opened.
  private static func isUnusedProfile(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
    return ["prefs.js", "times.json", "user.js"].contains { access(path + "/" + $0, F_OK) == 0 }
  }

  private static let advice =
    "Name a profile (firefox, chromium, a folder …), or a file as FORMAT:PATH with one of \(CLI.list(FileFormat.allCases.map(\.word)))."
}

/// A file to be written: a format and a path.
struct FileDestination {
  let format: FileFormat
  let path: String

  /// The kinds it can hold.
  var types: DataTypes { format.types }

  private func sink(_ wanted: DataTypes, dryRun: Bool) throws -> any RecordSink {
    try named {
      let output: any ByteOutput = dryRun ? NullOutput() : try AtomicFile(path)
      return try format.sink(output, wanted: wanted)
    }
  }

  /// Writes these types of a source; an error names the path as the person typed it.
  func write(_ source: any RecordSource, _ wanted: DataTypes, profile: String?, dryRun: Bool) throws -> ApplyReport {
    let sink = try sink(wanted, dryRun: dryRun)
    return try named { try Delivery(profile: profile).pour(source, wanted, into: sink) }
  }

  private func named<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as FormatError { throw Failure(error, of: path) }
  }

  /// Throws when nothing can be written there.
  func check() throws {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
    if access(place, W_OK) != 0 { throw Failure.system("Cannot write to \(visible(place))", errno) }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw Failure(.failed, "\(visible(path)) is no file.")
    }
  }
}
