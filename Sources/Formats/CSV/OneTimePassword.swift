/// Addresses of one-time passwords (`otpauth:`), which are kept as they are.
enum OneTimePassword {
  /// An address and whether an authenticator would take it.
  struct Address: Hashable {
    var text: String
    var isValid: Bool
  }

  /// The address that a value stands for: itself, or one made of a bare secret. nil when it is empty.
  static func address(_ value: String, title: String?) -> Address? {
    let bytes = Array(value.utf8)
    let trimmed = bytes.trimmed(0..<bytes.count)
    if trimmed.isEmpty { return nil }
    if starts(bytes, "otpauth:") { return Address(text: value, isValid: isValid(bytes)) }
    if starts(bytes, "steam://") { return Address(text: value, isValid: isSecret(bytes[8...])) }
    guard isSecret(bytes[trimmed]) else { return Address(text: value, isValid: false) }
    let secret = bytes[trimmed].filter { isLetter($0) || isDigit($0) }.map { isLetter($0) ? $0 & 0xDF : $0 }
    let label = title.map(percentEncoded) ?? "login"
    return Address(text: "otpauth://totp/\(label)?secret=\(secret.text(0..<secret.count))", isValid: true)
  }

  private static func starts(_ bytes: [UInt8], _ word: StaticString) -> Bool {
    bytes.isWord(0..<min(word.utf8CodeUnitCount, bytes.count), word)
  }

  /// Whether an `otpauth:` address has a known kind, a secret in base 32 and no impossible parameter.
  private static func isValid(_ bytes: [UInt8]) -> Bool {
    var path = bytes[8...]
    while path.first == UInt8(ascii: "/") { path = path.dropFirst() }
    let kind = Array(path.prefix { isLetter($0) })
    let isCounter = kind.isWord(0..<kind.count, "hotp")
    guard isCounter || kind.isWord(0..<kind.count, "totp") else { return false }
    guard let question = path.firstIndex(of: UInt8(ascii: "?")) else { return false }
    var hasSecret = false
    var hasCounter = false
    for part in path[(question + 1)...].split(separator: UInt8(ascii: "&")) {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { continue }
      let (name, value) = (Array(sides[0]), Array(sides[1]))
      let whole = 0..<name.count
      if name.isWord(whole, "secret") { hasSecret = isSecret(value[...]) }
      if name.isWord(whole, "counter") { hasCounter = number(value) != nil }
      if name.isWord(whole, "digits"), !(number(value).map { 6...8 ~= $0 } ?? false) { return false }
      if name.isWord(whole, "period"), !(number(value).map { $0 > 0 } ?? false) { return false }
      if name.isWord(whole, "algorithm"), !isAlgorithm(value) { return false }
    }
    return hasSecret && (hasCounter || !isCounter)
  }

  private static func number(_ bytes: [UInt8]) -> Int? { Int(bytes.text(0..<bytes.count)) }

  private static func isAlgorithm(_ value: [UInt8]) -> Bool {
    let whole = 0..<value.count
    return value.isWord(whole, "sha1") || value.isWord(whole, "sha256") || value.isWord(whole, "sha512")
      || value.isWord(whole, "hmacsha1") || value.isWord(whole, "hmacsha256") || value.isWord(whole, "hmacsha512")
  }

  /// Whether these bytes are base 32; blanks, hyphens, case and padding do not count.
  private static func isSecret(_ bytes: ArraySlice<UInt8>) -> Bool {
    var count = 0
    var isPadding = false
    for byte in bytes {
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
