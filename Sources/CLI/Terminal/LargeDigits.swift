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

  /// The lines of digits and spaces.
  static func lines(_ text: String) -> [String] {
    (0..<5).map { row in text.compactMap { shapes[$0]?[row] }.joined(separator: " ") }
  }
}
