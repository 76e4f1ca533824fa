internal import Glibc

/// The host of an address as browsers hold it: lower case, Punycode, IP addresses in their one form.
enum HostName {
  /// The normal form; nil for a host that no browser takes.
  static func normalized(_ bytes: ArraySlice<UInt8>) -> String? {
    if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
      return version6(bytes.dropFirst().dropLast()).map { "[" + $0 + "]" }
    }
    guard let decoded = unescaped(bytes), let text = String(validating: decoded, as: UTF8.self), !text.isEmpty
    else { return nil }
    let name = text.utf8.allSatisfy { $0 < 128 } ? asciiLowercased(text) : text.lowercased()
    var labels: [String] = []
    for label in name.split(omittingEmptySubsequences: false, whereSeparator: { ".。．｡".contains($0) }) {
      guard let encoded = encoded(String(label)) else { return nil }
      labels.append(encoded)
    }
    let host = labels.joined(separator: ".")
    guard !host.utf8.contains(where: isForbidden), host != "." else { return nil }
    let last = labels.last { !$0.isEmpty } ?? ""
    if isNumber(last) { return version4(host) }
    return host
  }

  private static func asciiLowercased(_ text: String) -> String {
    String(decoding: text.utf8.map(PageAddress.lowercased), as: UTF8.self)
  }

  private static func encoded(_ label: String) -> String? {
    if label.utf8.allSatisfy({ $0 < 128 }) {
      guard label.hasPrefix("xn--") else { return label }
      // A label that decodes to nothing outside ASCII, or to control characters, is refused.
      guard let scalars = Punycode.decode(label.dropFirst(4)), scalars.contains(where: { $0.value > 127 }),
        !scalars.contains(where: { $0.value < 32 || (127...159).contains($0.value) })
      else { return nil }
      return label
    }
    return Punycode.encode(Array(label.unicodeScalars)).map { "xn--" + $0 }
  }

  private static func isForbidden(_ byte: UInt8) -> Bool {
    byte <= 32 || byte == 127 || [35, 37, 47, 58, 60, 62, 63, 64, 91, 92, 93, 94, 124].contains(byte)
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == 37, index + 2 < bytes.endIndex,
        let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        result.append(value)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  // MARK: - Numbers

  private static func isNumber(_ label: String) -> Bool { number(label) != nil }

  private static func number(_ label: String) -> UInt64? {
    if label.isEmpty { return nil }
    if label.hasPrefix("0x") { return label.count == 2 ? 0 : UInt64(label.dropFirst(2), radix: 16) }
    guard label.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    if label.hasPrefix("0"), label.count > 1 { return UInt64(label.dropFirst(), radix: 8) ?? .max }
    return UInt64(label) ?? .max
  }

  private static func version4(_ host: String) -> String? {
    var parts = host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if parts.last == "" { parts.removeLast() }
    let numbers = parts.compactMap(number)
    guard numbers.count == parts.count, (1...4).contains(numbers.count), let last = numbers.last,
      numbers.dropLast().allSatisfy({ $0 < 256 }), last < 1 << UInt64(8 * (5 - numbers.count))
    else { return nil }
    var value = last
    for (index, part) in numbers.dropLast().enumerated() { value |= part << UInt64(8 * (3 - index)) }
    return [24, 16, 8, 0].map { String(value >> UInt64($0) & 255) }.joined(separator: ".")
  }

  private static func version6(_ bytes: ArraySlice<UInt8>) -> String? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1 else { return nil }
    let words = withUnsafeBytes(of: &address) { raw in
      (0..<8).map { UInt16(raw[2 * $0]) << 8 | UInt16(raw[2 * $0 + 1]) }
    }
    // The first longest run of zeros, of at least two, becomes "::".
    var best = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || words[index] != 0 {
      if index - start > max(1, best.count) { best = start..<index }
      start = index + 1
    }
    let digits = words.map { String($0, radix: 16) }
    if best.isEmpty { return digits.joined(separator: ":") }
    return digits[..<best.lowerBound].joined(separator: ":") + "::" + digits[best.upperBound...].joined(separator: ":")
  }
}

/// RFC 3492.
enum Punycode {
  private static let base = 36, lowest = 1, highest = 26, skew = 38, damp = 700, firstBias = 72, firstNumber = 128

  /// A label without its prefix; nil when it would be longer than any host may be.
  static func encode(_ scalars: [Unicode.Scalar]) -> String? {
    guard scalars.count < 256 else { return nil }
    var output = scalars.filter { $0.value < 128 }.map { UInt8($0.value) }
    let basic = output.count
    var handled = basic
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var (number, delta, bias) = (firstNumber, 0, firstBias)
    while handled < scalars.count {
      guard let next = scalars.map({ Int($0.value) }).filter({ $0 >= number }).min() else { return nil }
      delta += (next - number) * (handled + 1)
      number = next
      for scalar in scalars {
        if scalar.value < number { delta += 1 }
        guard scalar.value == number else { continue }
        var rest = delta
        var place = base
        while true {
          let limit = threshold(place, bias)
          if rest < limit { break }
          output.append(digit(limit + (rest - limit) % (base - limit)))
          rest = (rest - limit) / (base - limit)
          place += base
        }
        output.append(digit(rest))
        bias = adapted(delta, handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      number += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// What a label without its prefix says; nil when it says nothing.
  static func decode(_ text: Substring) -> [Unicode.Scalar]? {
    let bytes = Array(text.utf8)
    guard bytes.count < 256 else { return nil }
    var output: [Unicode.Scalar] = []
    var index = 0
    if let dash = bytes.lastIndex(of: UInt8(ascii: "-")) {
      output = bytes[..<dash].map { Unicode.Scalar($0) }
      index = dash + 1
    }
    var (number, insertion, bias) = (firstNumber, 0, firstBias)
    while index < bytes.count {
      let old = insertion
      var (weight, place) = (1, base)
      while true {
        guard index < bytes.count, let value = value(bytes[index]) else { return nil }
        index += 1
        let (product, overflow) = value.multipliedReportingOverflow(by: weight)
        guard !overflow, product < 1 << 40 else { return nil }
        insertion += product
        let limit = threshold(place, bias)
        if value < limit { break }
        weight *= base - limit
        guard weight < 1 << 40 else { return nil }
        place += base
      }
      bias = adapted(insertion - old, output.count + 1, isFirst: old == 0)
      number += insertion / (output.count + 1)
      insertion %= output.count + 1
      guard let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init) else { return nil }
      output.insert(scalar, at: insertion)
      insertion += 1
    }
    return output
  }

  private static func threshold(_ place: Int, _ bias: Int) -> Int { min(max(place - bias, lowest), highest) }

  private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var result = 0
    while delta > (base - lowest) * highest / 2 {
      delta /= base - lowest
      result += base
    }
    return result + (base - lowest + 1) * delta / (delta + skew)
  }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? 97 + value : 22 + value) }
  private static func value(_ byte: UInt8) -> Int? {
    switch byte {
    case 97...122: Int(byte) - 97
    case 65...90: Int(byte) - 65
    case 48...57: Int(byte) - 22
    default: nil
    }
  }
}
