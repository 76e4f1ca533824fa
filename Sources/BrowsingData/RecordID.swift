/// The id of a record: 16 bytes, given once and never changed. The four bookmark roots have fixed ids.
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first eight bytes.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// From its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// From 16 bytes, most significant first; nil for any other length.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
    }
    self.init(high: words.0, low: words.1)
  }

  /// From a root's name or 32 hexadecimal digits; nil for anything else.
  public init?(_ text: String) {
    if let root = RecordID.roots.first(where: { $0.name == text }) {
      self = root.id
      return
    }
    guard text.utf8.count == 32 else { return nil }
    var bytes: [UInt8] = []
    var half: UInt8?
    for character in text.utf8 {
      guard let digit = hexadecimalDigit(character) else { return nil }
      if let first = half {
        bytes.append(first << 4 | digit)
        half = nil
      } else {
        half = digit
      }
    }
    self.init(bytes: bytes)
  }

  /// The bookmarks toolbar.
  public static let toolbar = RecordID(high: 0, low: 1)
  /// The bookmarks menu.
  public static let menu = RecordID(high: 0, low: 2)
  /// Other bookmarks: where everything goes that has no better place.
  public static let other = RecordID(high: 0, low: 3)
  /// Bookmarks of a phone.
  public static let mobile = RecordID(high: 0, low: 4)
  /// The four roots in the order in which they are listed.
  public static let roots: [(id: RecordID, name: String)] = [
    (.toolbar, "toolbar"), (.menu, "menu"), (.other, "other"), (.mobile, "mobile"),
  ]

  /// Whether it is one of the four roots.
  public var isRoot: Bool { high == 0 && low >= 1 && low <= 4 }

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(16)
    for word in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        result.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return result
  }

  /// A root's name, or 32 lower-case hexadecimal digits.
  public var description: String {
    if isRoot { return RecordID.roots[Int(low) - 1].name }
    return hexadecimal(bytes)
  }

  /// Whether it comes before the other.
  public static func < (left: RecordID, right: RecordID) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

/// Lower-case hexadecimal digits of bytes.
public func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text: [UInt8] = []
  for byte in bytes {
    for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? 48 + digit : 87 + digit) }
  }
  return String(decoding: text, as: UTF8.self)
}

private func hexadecimalDigit(_ character: UInt8) -> UInt8? {
  switch character {
  case 48...57: character - 48
  case 97...102: character - 87
  case 65...70: character - 55
  default: nil
  }
}
