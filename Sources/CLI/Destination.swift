import Browsers
import BrowsingData
import Formats
import Glibc

/// Where records are to be written: a format and a path.
struct Destination {
  let format: FileFormat
  let path: String

  /// From what the person typed.
  init(_ text: String) throws {
    if let colon = text.firstIndex(of: ":"), let format = FileFormat(word: String(text[..<colon])) {
      self.format = format
      path = String(text[text.index(after: colon)...])
      if path.isEmpty { throw UsageError("\(quoted(text)) names no file.") }
      return
    }
    let word = text.split(separator: ":").first.map(String.init) ?? text
    if text == Sources.store || Browser(rawValue: word) != nil {
      throw UsageError("Nothing can be exported to \(quoted(text)): only files are written.", hint: Destination.advice)
    }
    guard let format = FileFormat(guessedFrom: text) else {
      throw UsageError("\(quoted(text)) does not say in which format to write.", hint: Destination.advice)
    }
    self.format = format
    path = text
  }

  /// The kinds it can hold.
  var types: DataTypes { format.types }

  /// A sink that writes there, or nowhere.
  func sink(dryRun: Bool) throws -> any RecordSink {
    let output: any ByteOutput = dryRun ? NullOutput() : try AtomicFile(path)
    return try format.sink(output)
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

  private static let advice =
    "Write it as FORMAT:PATH with one of \(CLI.list(FileFormat.allCases.map(\.word)))."
}
