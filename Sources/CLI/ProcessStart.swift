import CLinux
import Glibc

/// What the process does before anything else, so that it gives away no secret.
enum ProcessStart {
  /// Takes the arguments, wipes a pairing code among them from the process title, and forbids core files, tracing by
  /// others, and files that others can read. Gives the arguments without the program's name.
  static func begin() -> [String] {
    let arguments = takeArguments()
    openStandardStreams()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    wherry_forbid_dump()
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    return arguments
  }

  /// Where a standard stream is closed, the next file to be opened would take its number, and what is printed would be
  /// written into that file.
  private static func openStandardStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one.
      if open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor {
        _exit(ExitCode.failed.rawValue)
      }
    }
  }

  private static func takeArguments() -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index] else { break }
      let text = String(cString: word)
      arguments.append(text)
      // Whether the command takes a code is not known yet: to wipe too much costs nothing.
      if PairingWords.mayHoldCode(text) { memset(word, 0x78, strlen(word)) }
    }
    return arguments
  }
}

/// How a pairing code may look among arguments.
enum PairingWords {
  /// A number with or without separators, or the address of a QR code.
  static func mayHoldCode(_ text: String) -> Bool {
    if text.lowercased().hasPrefix("wherry:") { return true }
    return text.utf8.contains { (48...57).contains($0) } && text.unicodeScalars.allSatisfy(isDigitOrSeparator)
  }

  /// A digit, or what people write between digits.
  static func isDigitOrSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", " ", "-", ".", ",", "\u{A0}", "\u{202F}", "\u{2009}", "–": true
    default: false
    }
  }
}
