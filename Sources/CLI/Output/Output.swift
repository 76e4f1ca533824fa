import Glibc
import Synchronization

/// Where everything goes that the program says. With `--json` standard output holds one object a line and nothing else;
/// what is meant for people goes to standard error. Without it, results go to standard output and the rest, such as
/// questions, progress and warnings, to standard error.
final class Output: Sendable {
  let isJSON: Bool
  let isQuiet: Bool
  let isVerbose: Bool
  /// Colours and redrawn lines may be used on standard error.
  let isStyled: Bool
  /// Colours may be used on standard output.
  let isResultStyled: Bool

  private struct State {
    var json = JSONWriter()
    var failure: Int32?
    /// Lines of a display that is drawn again and again; text comes above it.
    var drawn = 0
  }
  private let state = Mutex(State())

  init(_ options: GlobalOptions) {
    isJSON = options.json
    isQuiet = options.quiet
    isVerbose = options.verbose
    let mayColor = !options.noColor && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    isStyled = mayColor && Terminal.isShown
    isResultStyled = mayColor && !options.json && isatty(STDOUT_FILENO) == 1
  }

  /// One event of `--json`; nothing without it.
  func event(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
    guard isJSON else { return }
    try state.withLock { state in
      state.json.clear()
      try state.json.object { json in
        json.field("event", name)
        try body(&json)
      }
      state.json.endLine()
      put(state.json.bytes, to: STDOUT_FILENO, &state)
    }
  }

  /// Bytes for standard output, already in their form: whole lines of `--json`, or records for people.
  func data(_ bytes: [UInt8]) {
    state.withLock { put(bytes, to: STDOUT_FILENO, &$0) }
  }

  /// A line of the result, for people.
  func result(_ text: String) {
    if isQuiet { return }
    show(text, on: isJSON ? STDERR_FILENO : STDOUT_FILENO)
  }

  /// A line on the way, for people.
  func note(_ text: String) {
    if !isQuiet { show(text, on: STDERR_FILENO) }
  }

  /// A line for those who asked for more.
  func detail(_ text: String) {
    if isVerbose, !isQuiet { show(text, on: STDERR_FILENO) }
  }

  /// A line that must be seen.
  func warning(_ text: String) { show("\(style("!", .yellow)) \(text)", on: STDERR_FILENO) }

  /// The failure that ends the program.
  func failure(_ failure: Failure) {
    if let word = failure.exit.word {
      event("error") { json in
        json.field("code", word)
        json.field("message", failure.message)
        json.field("hint", failure.hint ?? "")
      }
    }
    if failure.message.isEmpty { return }
    show("\(style("wherry:", .red)) \(failure.message)", on: STDERR_FILENO)
    if let hint = failure.hint { show("        \(hint)", on: STDERR_FILENO) }
  }

  /// A question without a line end.
  func question(_ text: String) {
    let lines = wrapped(text, to: Terminal.size.columns).joined(separator: "\n")
    state.withLock { put(Array((text.hasSuffix("\n") ? text : lines).utf8), to: STDERR_FILENO, &$0) }
  }

  /// Draws lines that replace those drawn before; only on a terminal.
  func draw(_ lines: [String]) {
    if !isStyled || isQuiet { return }
    let width = Terminal.size.columns
    let lines = lines.flatMap { wrapped($0, to: width - 1) }
    state.withLock { state in
      var text = Output.above(state.drawn)
      for line in lines { text += line + "\u{1B}[K\n" }
      if state.drawn > lines.count { text += "\u{1B}[J" }
      state.drawn = lines.count
      put(Array(text.utf8), to: STDERR_FILENO, &state)
    }
  }

  /// Leaves what was drawn where it is; the next text comes below.
  func settle() { state.withLock { $0.drawn = 0 } }

  /// Takes away what was drawn.
  func erase() {
    state.withLock { state in
      if state.drawn == 0 { return }
      put(Array((Output.above(state.drawn) + "\u{1B}[J").utf8), to: STDERR_FILENO, &state)
      state.drawn = 0
    }
  }

  /// Throws when standard output took no more.
  func check() throws {
    if let number = state.withLock({ $0.failure }) {
      // A reader that has enough, such as `head`, is no failure.
      if number == EPIPE { throw EnoughRead() }
      throw Failure.system("Cannot write to standard output", number)
    }
  }

  private static func above(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A\r" : "" }

  private func show(_ text: String, on descriptor: Int32) {
    state.withLock { state in
      if state.drawn > 0 {
        put(Array((Output.above(state.drawn) + "\u{1B}[J").utf8), to: STDERR_FILENO, &state)
        state.drawn = 0
      }
      let lines = isNarrow(descriptor) ? wrapped(text, to: Terminal.size.columns).joined(separator: "\n") : text
      put(Array((lines + "\n").utf8), to: descriptor, &state)
    }
  }

  /// Whether the lines must fit a terminal. What another program reads is not broken.
  private func isNarrow(_ descriptor: Int32) -> Bool {
    descriptor == STDERR_FILENO ? Terminal.isShown : !isJSON && isatty(STDOUT_FILENO) == 1
  }

  private func put(_ bytes: [UInt8], to descriptor: Int32, _ state: inout State) {
    if descriptor == STDOUT_FILENO, state.failure != nil { return }
    let failure = writeAll(descriptor, bytes)
    if descriptor == STDOUT_FILENO { state.failure = failure }
  }
}

/// Whoever reads standard output wants no more.
struct EnoughRead: Error {}

/// How text is set off.
enum Style: String {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case blue = "34"
}

extension Output {
  /// Text set off on standard error, plain where that is not possible.
  func style(_ text: String, _ style: Style) -> String {
    isStyled ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Text set off on standard output.
  func resultStyle(_ text: String, _ style: Style) -> String {
    (isJSON ? isStyled : isResultStyled) ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
