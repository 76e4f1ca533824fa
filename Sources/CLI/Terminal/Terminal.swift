import CLinux
import Glibc
import Synchronization

/// The terminal that the program may be attached to.
enum Terminal {
  /// Whether a person can read what goes to standard error at once.
  static var isShown: Bool { isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb" }
  /// Whether a person can type.
  static var isTyped: Bool { isatty(STDIN_FILENO) == 1 }

  /// Columns and rows of the terminal; 80 and 24 when it does not say.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  private static let saved = Mutex<termios?>(nil)

  /// Runs with every key given at once and none shown.
  static func raw<Result>(_ body: () throws -> Result) rethrows -> Result {
    change { $0.c_lflag &= ~tcflag_t(ICANON | ECHO) }
    defer { restore() }
    return try body()
  }

  /// Runs with what is typed not shown.
  static func silent<Result>(_ body: () throws -> Result) rethrows -> Result {
    change { $0.c_lflag &= ~tcflag_t(ECHO) }
    defer { restore() }
    return try body()
  }

  private static func change(_ edit: (inout termios) -> Void) {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    saved.withLock { if $0 == nil { $0 = settings } }
    edit(&settings)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Puts the terminal back as it was found; harmless when nothing was changed.
  static func restore() {
    saved.withLock { settings in
      guard var found = settings else { return }
      tcsetattr(STDIN_FILENO, TCSADRAIN, &found)
      writeAll(STDERR_FILENO, Array("\u{1B}[?25h".utf8))
      settings = nil
    }
  }

  private static let typed = Mutex<[UInt8]>([])

  /// One key, as the bytes that came with it; nil at the end of input. What was typed ahead waits for the next call.
  static func key() -> [UInt8]? {
    if let key = typed.withLock({ takeKey(&$0) }) { return key }
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count > 0 {
        return typed.withLock { typed in
          typed += bytes[..<count]
          return takeKey(&typed)
        }
      }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Takes the first key from what was typed: an escape sequence is one key.
  static func takeKey(_ typed: inout [UInt8]) -> [UInt8]? {
    guard let first = typed.first else { return nil }
    var length = 1
    if first == 0x1B, typed.count > 2, typed[1] == UInt8(ascii: "[") || typed[1] == UInt8(ascii: "O") {
      // Numbers, then a letter or ~ that ends it.
      length = (typed[2...].firstIndex { (0x40...0x7E).contains($0) } ?? typed.count - 1) + 1
    }
    defer { typed.removeFirst(length) }
    return Array(typed[..<length])
  }

  /// One line without its end; nil at the end of input.
  static func line() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count == 1 {
        if byte == 10 { break }
        if bytes.count < 65_536 { bytes.append(byte) }
      } else if count == 0 {
        if bytes.isEmpty { return nil }
        break
      } else if errno != EINTR {
        return nil
      }
    }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Writes all bytes to a descriptor; the error number when that fails, else nil.
@discardableResult
func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
  bytes.withUnsafeBytes { buffer in
    var rest = buffer[...]
    while !rest.isEmpty {
      let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
