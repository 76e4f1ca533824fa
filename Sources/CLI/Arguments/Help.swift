/// Help, made from the same declarations as the parser.
enum Help {
  /// `usage: wherry NAME …`
  static func usage<C: Command>(of type: C.Type) -> String {
    let operands = C.parameters.filter { $0.shape == .operand }.map(\.synopsis)
    let options = C.parameters.filter { $0.shape != .operand }.map(\.synopsis)
    return wrapped("usage: wherry \(C.name)", operands + options)
  }

  /// The help of one command.
  static func text<C: Command>(of type: C.Type) -> String {
    var text = "\(usage(of: type))\n\n\(C.summary)\n"
    if !C.details.isEmpty { text += "\n\(C.details)\n" }
    if !C.parameters.isEmpty { text += "\n" + table(C.parameters.map { ($0.heading, $0.help) }) }
    return text + "\nOptions every command takes:\n" + table(common)
  }

  /// The help of the program.
  static func overview(_ commands: [CommandEntry]) -> String {
    """
    usage: wherry COMMAND [options]

    Moves bookmarks, history, reading list, extensions, passwords and payment cards between browsers, files and
    devices: without a cloud, without loss, and resumable at any moment.

    \(table(commands.map { ($0.name, $0.summary) }))
    wherry COMMAND --help explains a command.

    A source or destination is: store · firefox[:NAME] · chromium, chrome, brave, edge, vivaldi, opera[:PROFILE] ·
    a path of a profile, a Safari export, bookmark HTML or JSON, or a password CSV.

    Options every command takes:
    \(table(common))
    """
  }

  private static var common: [(String, String)] {
    GlobalOptions.parameters.filter { $0.name != "version" }.map { ($0.heading, $0.help) }
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(28, (rows.map { columns($0.0) }.max() ?? 0) + 2)
    return rows.map { row in
      let lines = wrap(row.1, to: 96 - width)
      let first = padded(row.0, to: width)
      let indent = String(repeating: " ", count: width + 2)
      if columns(row.0) + 1 > width { return "  \(row.0)\n" + lines.map { "\(indent)\($0)\n" }.joined() }
      return "  \(first)\(lines.first ?? "")\n" + lines.dropFirst().map { "\(indent)\($0)\n" }.joined()
    }.joined()
  }

  private static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, columns(line) + 1 + columns(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }

  private static func wrapped(_ start: String, _ words: [String]) -> String {
    var lines = [start]
    for word in words {
      if columns(lines[lines.count - 1]) + 1 + columns(word) > 100 { lines.append("             ") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: "\n")
  }
}
