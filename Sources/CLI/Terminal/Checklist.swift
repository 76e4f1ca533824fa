import BrowsingData

/// A list of types with counts, of which a person ticks some: arrows move, Space ticks, Return takes them.
struct Checklist {
  /// A line of the list.
  struct Item: Equatable {
    var type: DataType
    var count: Int
    var isTicked: Bool
  }
  /// What a key does.
  enum Outcome: Equatable {
    case goOn
    case taken
    case refused
  }

  private(set) var items: [Item]
  private(set) var row = 0

  /// What is offered; secrets are not ticked, and nor is what there is none of.
  init(_ offer: [DataType: Int], preset: DataTypes = .withoutSecrets) {
    items = offer.sorted { $0.key < $1.key }.map { type, count in
      Item(type: type, count: count, isTicked: preset.contains(type) && count > 0)
    }
  }

  /// What is ticked.
  var ticked: DataTypes { DataTypes(items.filter(\.isTicked).map(\.type)) }

  /// Does what a key asks for.
  mutating func press(_ key: [UInt8]) -> Outcome {
    switch key {
    case [0x1B, 0x5B, 0x41], [0x1B, 0x4F, 0x41], [UInt8(ascii: "k")]: row = max(0, row - 1)
    case [0x1B, 0x5B, 0x42], [0x1B, 0x4F, 0x42], [UInt8(ascii: "j")], [9]: row = min(items.count - 1, row + 1)
    case [UInt8(ascii: " ")], [UInt8(ascii: "x")]: if items.indices.contains(row) { items[row].isTicked.toggle() }
    case [UInt8(ascii: "a")]:
      let all = items.allSatisfy { $0.isTicked || $0.count == 0 }
      for index in items.indices { items[index].isTicked = !all && items[index].count > 0 }
    case [10], [13]: return .taken
    case [0x1B], [UInt8(ascii: "q")], [3], [4]: return .refused
    default: pressNumber(key)
    }
    return .goOn
  }

  private mutating func pressNumber(_ key: [UInt8]) {
    guard key.count == 1, key[0] > 48, Int(key[0]) - 49 < items.count else { return }
    row = Int(key[0]) - 49
    items[row].isTicked.toggle()
  }

  /// The list as it is shown.
  func lines(_ output: Output) -> [String] {
    let width = items.map { grouped($0.count).count }.max() ?? 0
    let names = items.map { $0.type.name.count }.max() ?? 0
    return items.enumerated().map { index, item in
      let mark = item.isTicked ? output.style("[x]", .green) : "[ ]"
      let note = item.type.isSecret ? output.style("  secret", .yellow) : ""
      let text = "\(padded(item.type.name, to: names))  \(aligned(grouped(item.count), to: width))"
      return
        "\(index == row ? output.style(">", .bold) : " ") \(mark) \(index == row ? output.style(text, .bold) : text)\(note)"
    } + [output.style("  Space ticks, a takes all, Return goes on, Esc says no", .dim)]
  }

  /// Asks on the terminal; nil when the person says no.
  mutating func ask(_ output: Output) -> DataTypes? {
    if !output.isStyled { return askPlainly(output) }
    return Terminal.raw {
      defer { output.settle() }
      output.draw(lines(output))
      while let key = Terminal.key() {
        switch press(key) {
        case .goOn: output.draw(lines(output))
        case .taken: return ticked
        case .refused: return nil
        }
      }
      return nil
    }
  }

  /// On a terminal without cursor: a line of words.
  private func askPlainly(_ output: Output) -> DataTypes? {
    for item in items { output.note("  \(item.type.name): \(grouped(item.count))") }
    let preset = list(ticked.each.map(\.name))
    while true {
      output.question("Types to take, with commas between (Return: \(preset.isEmpty ? "none" : preset)) ")
      guard let line = Terminal.line() else { return nil }
      if line.isEmpty { return ticked }
      if line == "no" || line == "none" { return nil }
      if let types = try? DataTypes.read(line, of: "The answer") {
        return types.intersection(DataTypes(items.map(\.type)))
      }
      output.note("Please answer with words of the list, or 'no'.")
    }
  }
}
