/// Digits five lines high, to be read across a room.
enum LargeDigits {
  private static let shapes: [Character: [String]] = [
    "0": ["███", "█ █", "█ █", "█ █", "███"], "1": [" ▐█", "  █", "  █", "  █", "  █"],
    "2": ["███", "  █", "███", "█  ", "███"], "3": ["███", "  █", "███", "  █", "███"],
    "4": ["█ █", "█ █", "███", "  █", "  █"], "5": ["███", "█  ", "███", "  █", "███"],
    "6": ["███", "█  ", "███", "█ █", "███"], "7": ["███", "  █", "  █", "  █", "  █"],
    "8": ["███", "█ █", "███", "█ █", "███"], "9": ["███", "█ █", "███", "  █", "███"],
    " ": ["  ", "  ", "  ", "  ", "  "],
  ]

  /// The groups of a code, all in one row, or in two where that is too wide; none where even that is.
  static func parts(_ text: String, columns: Int) -> [String] {
    let groups = text.split(separator: " ")
    let half = (groups.count + 1) / 2
    for parts in [[groups], [Array(groups[..<half]), Array(groups[half...])]] {
      let texts = parts.map { $0.joined(separator: " ") }
      if texts.allSatisfy({ lines($0).allSatisfy { $0.count <= columns } }) { return texts }
    }
    return []
  }

  /// The lines of digits and spaces.
  static func lines(_ text: String) -> [String] {
    (0..<5).map { row in text.compactMap { shapes[$0]?[row] }.joined(separator: " ") }
  }
}
