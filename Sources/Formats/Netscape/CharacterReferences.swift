/// Undoes the character references of HTML (`&amp;`, `&#8212;`, `&#x1F600;`), once.
enum CharacterReferences {
  /// Appends a range of bytes with its references undone. In an attribute a name without semicolon before `=`, a letter
  /// or a digit stays as it is (HTML 13.2.5.73): `?a=1&copy=2` is an address.
  static func append(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, inAttribute: Bool, to result: inout [UInt8]
  ) {
    var index = range.lowerBound
    while let ampersand = bytes.firstIndex(of: UInt8(ascii: "&"), from: index, to: range.upperBound) {
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[index..<ampersand]))
      let after = bytes[(ampersand + 1)..<range.upperBound]
      let used = after.first == UInt8(ascii: "#") ? number(after, &result) : name(after, inAttribute, &result)
      if used == 0 { result.append(UInt8(ascii: "&")) }
      index = ampersand + 1 + used
    }
    if index < range.upperBound {
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[index..<range.upperBound]))
    }
  }

  /// What follows `&`, from `#` on: appends its character and says how many bytes it took, 0 for none.
  private static func number(_ bytes: Slice<UnsafeRawBufferPointer>, _ result: inout [UInt8]) -> Int {
    var index = bytes.startIndex + 1
    let isHexadecimal = index < bytes.endIndex && bytes[index] | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { index += 1 }
    let first = index
    var value: UInt32 = 0
    while index < bytes.endIndex, let digit = hexadecimalValue(bytes[index]), isHexadecimal || digit < 10 {
      value = min(value &* (isHexadecimal ? 16 : 10) &+ digit, 0x110000)
      index += 1
    }
    if index == first { return 0 }
    if index < bytes.endIndex, bytes[index] == UInt8(ascii: ";") { index += 1 }
    if value == 0 { value = 0xFFFD }
    appendUTF8((0x80...0x9F).contains(value) ? Windows1252.scalar(UInt8(value)) : value, to: &result)
    return index - bytes.startIndex
  }

  private static func name(_ bytes: Slice<UnsafeRawBufferPointer>, _ inAttribute: Bool, _ result: inout [UInt8]) -> Int
  {
    var end = bytes.startIndex
    let limit = min(bytes.endIndex, bytes.startIndex + CharacterReferences.longestName)
    while end < limit, isLetter(bytes[end]) || isDigit(bytes[end]) { end += 1 }
    if end < bytes.endIndex, bytes[end] == UInt8(ascii: ";"), let common = common(bytes[..<end]) {
      result.append(common)
      return end + 1 - bytes.startIndex
    }
    if end < bytes.endIndex, bytes[end] == UInt8(ascii: ";"), let found = find(bytes[..<end]) {
      append(found, &result)
      return end + 1 - bytes.startIndex
    }
    // The longest name at the front that needs no semicolon; the longest of those has six letters.
    var length = min(end - bytes.startIndex, 6)
    while length >= 2 {
      let stop = bytes.startIndex + length
      if let found = find(bytes[..<stop]), !found.needsSemicolon {
        if inAttribute, stop < bytes.endIndex, continuesAddress(bytes[stop]) { return 0 }
        append(found, &result)
        return length
      }
      length -= 1
    }
    return 0
  }

  /// The character of the names that stand in nearly every file.
  @inline(__always)
  private static func common(_ name: Slice<UnsafeRawBufferPointer>) -> UInt8? {
    if name.elementsEqual("amp".utf8) { return UInt8(ascii: "&") }
    if name.elementsEqual("quot".utf8) { return UInt8(ascii: "\"") }
    if name.elementsEqual("lt".utf8) { return UInt8(ascii: "<") }
    return name.elementsEqual("gt".utf8) ? UInt8(ascii: ">") : nil
  }

  private static func continuesAddress(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || isLetter(byte) || isDigit(byte)
  }

  private static func append(_ reference: Reference, _ result: inout [UInt8]) {
    appendUTF8(reference.scalars.0, to: &result)
    if reference.scalars.1 != 0 { appendUTF8(reference.scalars.1, to: &result) }
  }

  // MARK: The table

  private struct Reference {
    var scalars: (UInt32, UInt32)
    var needsSemicolon: Bool
  }

  private static let longestName = 31

  private static let table = Array(
    UnsafeBufferPointer(start: CharacterNames.text.utf8Start, count: CharacterNames.text.utf8CodeUnitCount))

  /// Where each entry of the table starts.
  private static let starts: [Int] = {
    var starts: [Int] = [0]
    for (index, byte) in table.enumerated() where byte == UInt8(ascii: " ") && index + 1 < table.count {
      starts.append(index + 1)
    }
    return starts
  }()

  private static func find(_ name: Slice<UnsafeRawBufferPointer>) -> Reference? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      var index = starts[middle]
      var wanted = name.startIndex
      while wanted < name.endIndex, table[index] == name[wanted] {
        index += 1
        wanted += 1
      }
      let isEnd = table[index] == UInt8(ascii: "=") || table[index] == UInt8(ascii: "!")
      if wanted == name.endIndex {
        if isEnd { return entry(at: index) }
        high = middle
      } else if isEnd || table[index] < name[wanted] {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return nil
  }

  private static func entry(at sign: Int) -> Reference {
    var scalars: (UInt32, UInt32) = (0, 0)
    var index = sign + 1
    while index < table.count, let digit = hexadecimalValue(table[index]) {
      scalars.0 = scalars.0 << 4 | digit
      index += 1
    }
    if index < table.count, table[index] == UInt8(ascii: ".") {
      index += 1
      while index < table.count, let digit = hexadecimalValue(table[index]) {
        scalars.1 = scalars.1 << 4 | digit
        index += 1
      }
    }
    return Reference(scalars: scalars, needsSemicolon: table[sign] == UInt8(ascii: "="))
  }
}
