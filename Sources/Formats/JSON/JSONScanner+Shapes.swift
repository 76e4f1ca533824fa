/// Reading entries that look like those before them, byte for byte but for their values.
extension JSONScanner {
  /// The next member's key by `key`, nil in place of it at the end of the object. What stands between two values is
  /// mostly what stood there in the entry before, byte for byte: then one comparison does. Only within an entry.
  @inline(__always)
  mutating func nextMember<Key>(
    row: Int, _ shape: inout JSONShape<Key>, key: (inout JSONScanner, Text) -> Key
  ) throws(FormatError) -> JSONShape<Key>.Gap {
    if let known = shape.match(buffer + position, row: row) { return take(known) }
    let (start, startLine) = (offset, line)
    var found: Key?
    if let text = try nextMember() {
      found = key(&self, text)
      _ = try nextByte()  // the gap goes up to the value
    }
    return learn(&shape, from: start, startLine, row: row, found)
  }

  /// The same for the elements of an array, which must each be an entry.
  @inline(__always)
  mutating func nextElement(
    row: Int, _ shape: inout JSONShape<JSONElement>
  ) throws(FormatError) -> JSONShape<JSONElement>.Gap {
    if let known = shape.match(buffer + position, row: row) { return take(known) }
    _ = try nextByte()
    entryStart = position
    let (start, startLine) = (offset, line)
    let isElement = try nextElement()
    if isElement { _ = try nextByte() }
    entryStart = nil
    return learn(&shape, from: start, startLine, row: row, isElement ? .element : nil)
  }

  @inline(__always)
  private mutating func take<Key>(_ known: JSONShape<Key>.Gap) -> JSONShape<Key>.Gap {
    position &+= known.length
    line &+= known.lines
    if known.key == nil { depth &-= 1 } else { levels[depth &- 1] |= JSONScanner.isStarted }
    return known
  }

  private func learn<Key>(
    _ shape: inout JSONShape<Key>, from start: Int64, _ startLine: Int, row: Int, _ key: Key?
  ) -> JSONShape<Key>.Gap {
    let gap = UnsafeRawBufferPointer(start: buffer + Int(start &- base), count: Int(offset &- start))
    return shape.learn(gap, lines: line &- startLine, row: row, key: key)
  }

  /// The bytes from the next one on, for whoever knows the shape of what comes. `slack` zeros follow the last byte of the
  /// window; whoever meets one leaves the scanner as it is and goes the slow way.
  var next: UnsafeRawPointer { UnsafeRawPointer(buffer) + position }

  /// A string found among these bytes.
  @inline(__always)
  func plainText(at start: UnsafeRawPointer, count: Int, hasEscapes: Bool, isASCII: Bool) -> Text {
    Text(
      start: base &+ Int64(start - UnsafeRawPointer(buffer)), count: count, hasEscapes: hasEscapes, isASCII: isASCII)
  }

  /// Passes over one whole value that was read among these bytes.
  @inline(__always)
  mutating func pass(_ count: Int, lines: Int) {
    position &+= count
    line &+= lines
  }
}
