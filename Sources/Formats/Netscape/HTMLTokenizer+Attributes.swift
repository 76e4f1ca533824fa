/// Reading the attributes of a tag.
extension HTMLTokenizer {
  /// More attributes than these no tag needs.
  private static let maximumAttributes = 256

  /// Reads an attribute; true when its value is quoted.
  mutating func attribute(_ index: inout Int) -> Bool {
    let first = index
    index += 1
    while isInside(index), !HTMLTokenizer.endsName(window[index]), window[index] != UInt8(ascii: "=") { index += 1 }
    let name = first..<index
    while isInside(index), isBlank(window[index]) { index += 1 }
    guard byte(index) == UInt8(ascii: "=") else {
      add(name, index..<index)
      return false
    }
    index += 1
    while isInside(index), isBlank(window[index]) { index += 1 }
    let mark = byte(index)
    if mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") {
      index += 1
      add(name, quoted(&index, by: mark))
      return true
    }
    let value = index
    while isInside(index), !isBlank(window[index]), window[index] != UInt8(ascii: ">") { index += 1 }
    add(name, value..<index)
    return false
  }

  private mutating func add(_ name: Range<Int>, _ value: Range<Int>) {
    guard attributes.count < HTMLTokenizer.maximumAttributes else { return }
    attributes.append(Attribute(name: name, value: value, known: NetscapeAttribute(bytes, name)))
  }

  static func endsName(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<")
  }

  /// Reads a value up to its quote. A value that runs over the next bookmark, or to the end of the file, lacks its quote:
  /// it is taken to end with its tag or line.
  private mutating func quoted(_ index: inout Int, by mark: UInt8) -> Range<Int> {
    let first = index
    let close = firstIndex(of: mark, from: first)
    if let close, !swallowsItem(first..<close) {
      index = close + 1
      return first..<close
    }
    hasRecovered = true
    let limit = close ?? window.count
    var end = first
    while end < limit, window[end] != UInt8(ascii: ">"), window[end] != 0x0A, window[end] != 0x0D { end += 1 }
    index = end
    let other = mark ^ UInt8(ascii: "\"") ^ UInt8(ascii: "'")
    return first..<(end > first && window[end - 1] == other ? end - 1 : end)
  }

  /// Whether a line in this range starts with `<DT` or `<A `.
  private mutating func swallowsItem(_ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while let less = window.firstIndex(of: UInt8(ascii: "<"), from: index, to: range.upperBound) {
      index = less + 1
      let isItem = lowercased(byte(less + 1)) == UInt8(ascii: "d") && lowercased(byte(less + 2)) == UInt8(ascii: "t")
      let isLink = lowercased(byte(less + 1)) == UInt8(ascii: "a") && isBlank(byte(less + 2))
      guard isItem || isLink else { continue }
      var before = less - 1
      while before >= range.lowerBound, window[before] == 0x20 || window[before] == 0x09 { before -= 1 }
      if before >= range.lowerBound, window[before] == 0x0A || window[before] == 0x0D { return true }
    }
    return false
  }
}
