/// Addresses in password tables.
enum LoginAddress {
  /// Whether an address starts with a scheme. What follows a colon and is a number is a port.
  static func hasScheme(_ url: String) -> Bool {
    var hasLetters = false
    var bytes = url.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == UInt8(ascii: ":") { return hasLetters && !(bytes.next().map(isDigit) ?? true) }
      guard isLetter(byte) || (hasLetters && (isDigit(byte) || [0x2B, 0x2D, 0x2E].contains(byte))) else { return false }
      hasLetters = true
    }
    return false
  }

  /// An address without a scheme with `https://` before it; nil when it has one, or is no host at all.
  static func completed(_ url: String) -> String? {
    if hasScheme(url) { return nil }
    let isHost =
      !url.utf8.contains { isBlank($0) } && url.utf8.first.map { isLetter($0) || isDigit($0) || $0 >= 0x80 } ?? false
    return isHost ? "https://" + url : nil
  }

  /// Splits a list at each comma before `scheme://`: the first stays, the others are given back.
  static func split(_ url: inout String) -> [String] {
    let bytes = Array(url.utf8)
    var parts: [String] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: ",") {
      var next = index + 1
      while next < bytes.count, bytes[next] == 0x20 { next += 1 }
      var end = next
      while end < bytes.count, isLetter(bytes[end]) || isDigit(bytes[end]) || [0x2B, 0x2D, 0x2E].contains(bytes[end]) {
        end += 1
      }
      guard end > next, end + 3 <= bytes.count, bytes.isWord(end..<(end + 3), "://") else { continue }
      parts.append(bytes.text(start..<index))
      start = next
    }
    if parts.isEmpty { return [] }
    parts.append(bytes.text(start..<bytes.count))
    url = parts.removeFirst()
    return parts
  }
}
