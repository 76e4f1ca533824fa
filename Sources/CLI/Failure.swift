import Glibc

/// Why a command ends: what the exit status is, what happened, and what to do about it.
struct Failure: Error {
  /// The exit status.
  var exit: ExitCode
  /// One sentence; empty when all was said before.
  var message: String
  /// What to do; nil when there is nothing to say.
  var hint: String?

  init(_ exit: ExitCode, _ message: String, hint: String? = nil) {
    self.exit = exit
    self.message = message
    self.hint = hint
  }

  /// The person pressed Ctrl-C.
  static func stopped(hint: String? = nil) -> Failure { Failure(.stopped, "Stopped.", hint: hint) }

  /// A call of the system failed with this error number.
  static func system(_ doing: String, _ number: Int32) -> Failure {
    let exit: ExitCode =
      switch number {
      case ENOSPC, EDQUOT: .noSpace
      case ENOENT, ENOTDIR: .notFound
      default: .failed
      }
    let hint =
      switch exit {
      case .noSpace: "Make room and try again."
      case .notFound: "Look at the path."
      case .done, .failed, .partial, .declined, .inUse, .wrongCode, .untrusted, .incompatible, .interrupted, .badInput,
        .usage, .stopped:
        "Look whether it is yours to read and write, or choose another place."
      }
    return Failure(exit, "\(doing): \(String(cString: strerror(number))).", hint: hint)
  }
}
