import Glibc

/// Questions to the person. Nothing is asked when nobody can answer: then the caller's advice is the error.
struct Prompts {
  let output: Output
  /// Whether someone sits there: standard input is a terminal and so is what shows the question.
  let canAsk: Bool

  init(_ output: Output) {
    self.output = output
    canAsk = Terminal.isTyped && isatty(STDERR_FILENO) == 1
  }

  /// A line that the person types; nil when nobody can, or nothing was typed.
  func line(_ question: String) -> String? {
    guard canAsk else { return nil }
    output.question("\(question) ")
    guard let line = Terminal.line() else { return nil }
    return line.isEmpty ? nil : line
  }

  /// A secret: what is typed is not shown.
  func secret(_ question: String) -> String? {
    guard canAsk else { return nil }
    output.question("\(question) ")
    let line = Terminal.silent { Terminal.line() }
    output.question("\n")
    return line
  }

  /// Yes or no; `preset` is what Return means.
  func agrees(_ question: String, preset: Bool) -> Bool {
    guard canAsk else { return false }
    while true {
      output.question("\(question) [\(preset ? "Y/n" : "y/N")] ")
      guard let line = Terminal.line() else { return false }
      switch line.lowercased() {
      case "": return preset
      case "y", "yes": return true
      case "n", "no": return false
      default: continue
      }
    }
  }
}
