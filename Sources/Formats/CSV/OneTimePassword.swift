/// Addresses of one-time passwords (`otpauth:`), which are kept as they are.
enum OneTimePassword {
  /// An address and whether an authenticator would take it.
  struct Address: Hashable {
    var text: String
    var isValid: Bool
  }

  /// The address that a value stands for: itself, or one made of a bare secret. nil when it is empty.
  static func address(_ value: String, title: String?) -> Address? {
    var text = value
    return text.withUTF8 { address(UnsafeRawBufferPointer($0), value, title) }
  }

  private static func address(_ bytes: UnsafeRawBufferPointer, _ value: String, _ title: String?) -> Address? {
    let trimmed = bytes.trimmed(0..<bytes.count)
    if trimmed.isEmpty { return nil }
    if starts(bytes, "otpauth:") { return Address(text: value, isValid: isValid(bytes)) }
    if starts(bytes, "steam://") { return Address(text: value, isValid: isSecret(bytes, 8..<bytes.count)) }
    guard isSecret(bytes, trimmed) else { return Address(text: value, isValid: false) }
    let secret = bytes[trimmed].filter { isLetter($0) || isDigit($0) }.map { isLetter($0) ? $0 & 0xDF : $0 }
    let label = title.map(percentEncoded) ?? "login"
    return Address(text: "otpauth://totp/\(label)?secret=\(secret.text(0..<secret.count))", isValid: true)
  }

  private static func starts(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    bytes.isWord(0..<min(word.utf8CodeUnitCount, bytes.count), word)
  }

  /// Whether an `otpauth:` address has a known kind, a secret in base 32 and no impossible parameter.
  private static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var first = 8
    while first < bytes.count, bytes[first] == UInt8(ascii: "/") { first += 1 }
    var index = first
    while index < bytes.count, isLetter(bytes[index]) { index += 1 }
    let isCounter = bytes.isWord(first..<index, "hotp")
    guard isCounter || bytes.isWord(first..<index, "totp") else { return false }
    var found = Found()
    var start = bytes.index(of: UInt8(ascii: "?"), in: index..<bytes.count) + 1
    while start < bytes.count {
      let end = bytes.index(of: UInt8(ascii: "&"), in: start..<bytes.count)
      let equals = bytes.index(of: UInt8(ascii: "="), in: start..<end)
      if equals < end, !isPossible(bytes, start..<equals, (equals + 1)..<end, &found) { return false }
      start = end + 1
    }
    return found.secret && (found.counter || !isCounter)
  }

  private struct Found {
    var secret = false
    var counter = false
  }

  private static func isPossible(
    _ bytes: UnsafeRawBufferPointer, _ name: Range<Int>, _ value: Range<Int>, _ found: inout Found
  ) -> Bool {
    if bytes.isWord(name, "secret") {
      found.secret = isSecret(bytes, value)
    } else if bytes.isWord(name, "counter") {
      found.counter = number(bytes, value) != nil
    } else if bytes.isWord(name, "digits") {
      return number(bytes, value).map { 6...8 ~= $0 } ?? false
    } else if bytes.isWord(name, "period") {
      return number(bytes, value).map { $0 > 0 } ?? false
    } else if bytes.isWord(name, "algorithm") {
      return isAlgorithm(bytes, value)
    }
    return true
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    Int(String(decoding: bytes[range], as: UTF8.self))
  }

  private static func isAlgorithm(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> Bool {
    bytes.isWord(value, "sha1") || bytes.isWord(value, "sha256") || bytes.isWord(value, "sha512")
      || bytes.isWord(value, "hmacsha1") || bytes.isWord(value, "hmacsha256") || bytes.isWord(value, "hmacsha512")
  }

  /// Whether these bytes are base 32; blanks, hyphens, case and padding do not count.
  private static func isSecret(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    var count = 0
    var isPadding = false
    for index in range {
      let byte = bytes[index]
      if byte == 0x20 || byte == UInt8(ascii: "-") { continue }
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: "%") {
        isPadding = true
        continue
      }
      if isPadding, byte == UInt8(ascii: "3") || byte | 0x20 == UInt8(ascii: "d") { continue }
      guard isLetter(byte) || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte), !isPadding else { return false }
      count += 1
    }
    return count >= 8
  }

  private static func percentEncoded(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isLetter(byte) || isDigit(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte) {
        result.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return result.text(0..<result.count)
  }
}
