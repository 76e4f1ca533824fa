/// How the program ends, and the word that says so in `--json`.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case partial = 3
  case declined = 4
  case notFound = 10
  case inUse = 11
  case wrongCode = 12
  case untrusted = 13
  case incompatible = 14
  case interrupted = 15
  case noSpace = 16
  case badInput = 17
  case usage = 64
  case stopped = 130

  /// The `code` of an `error` event; nil where there is no error to name.
  var word: String? {
    switch self {
    case .done, .stopped: nil
    case .failed: "failed"
    case .partial: "partial"
    case .declined: "declined"
    case .notFound: "not_found"
    case .inUse: "in_use"
    case .wrongCode: "wrong_code"
    case .untrusted: "untrusted"
    case .incompatible: "incompatible"
    case .interrupted: "interrupted"
    case .noSpace: "no_space"
    case .badInput: "bad_input"
    case .usage: "usage"
    }
  }
}
