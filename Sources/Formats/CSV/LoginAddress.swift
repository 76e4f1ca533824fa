/// Addresses in password tables.
enum LoginAddress {
  /// Whether an address starts with a scheme. What follows a colon and is a number is a port.
  static func hasScheme(_ url: String) -> Bool {
    if let answer = url.utf8.withContiguousStorageIfAvailable({ hasScheme(UnsafeRawBufferPointer($0)) }) {
      return answer
    }
    return Array(url.utf8).withUnsafeBytes { hasScheme($0) }
  }

  private static func hasScheme(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if isOfWeb(bytes) { return true }
    var index = 0
    while index < bytes.count, isSchemePart(bytes[index], first: index == 0) { index &+= 1 }
    guard index > 0, index &+ 1 < bytes.count, bytes[index] == UInt8(ascii: ":") else { return false }
    return !isDigit(bytes[index &+ 1])
  }

  /// Whether it starts with `https://` or `http://` in lower case, told quickly: most do.
  @inline(__always)
  private static func isOfWeb(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 8 else { return false }
    let front = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    return front == 0x2F2F_3A73_7074_7468 || front << 8 == 0x2F2F_3A70_7474_6800
  }

  /// An address without a scheme with `https://` before it; nil when it is no host at all.
  static func completed(_ url: String) -> String? {
    let isHost =
      !url.utf8.contains { isBlank($0) } && url.utf8.first.map { isLetter($0) || isDigit($0) || $0 >= 0x80 } ?? false
    return isHost ? "https://" + url : nil
  }

  @inline(__always)
  private static func isSchemePart(_ byte: UInt8, first: Bool) -> Bool {
    if isLetter(byte) { return true }
    return !first && (isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E)
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
      while end < bytes.count, isSchemePart(bytes[end], first: false) {
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
