import Formats
import Glibc

extension Failure {
  /// What an error of any room means to the person.
  init(of error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as UsageError: self.init(.usage, error.message, hint: error.hint)
    case let error as FormatError: self.init(error)
    default: self.init(.failed, "Something unexpected happened: \(visible(String(describing: type(of: error)))).")
    }
  }

  private init(_ error: FormatError) {
    let words = visible(error.description)
    switch error {
    case .notFound: self.init(.notFound, "There is no such file.", hint: "Look at the path.")
    case .notThisFormat: self.init(.badInput, sentence(words), hint: Failure.readable)
    case .damaged, .truncated:
      self.init(.badInput, "The file is damaged: \(words).", hint: "Export it again from where it came.")
    case .tooLarge: self.init(.badInput, sentence(words))
    case .system(let code, let doing): self = .system(sentence(doing, end: ""), code)
    }
  }

  private static let readable =
    "Files that can be read: a Safari export (ZIP or its members), bookmark HTML or JSON, password CSVs."
}

/// Words with a capital at the start and a full stop at the end.
func sentence(_ words: String, end: String = ".") -> String {
  let whole = words.prefix(1).uppercased() + words.dropFirst()
  return whole.hasSuffix(".") ? whole : whole + end
}
