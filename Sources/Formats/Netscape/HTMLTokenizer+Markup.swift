/// Tags, comments and declarations.
extension HTMLTokenizer {
  /// What the `<` at the start opens; nil for what is passed over, and for a tag whose end is not in the window.
  mutating func markup() -> Token? {
    let second = byte(start + 1)
    if isLetter(second) { return opened() }
    switch second {
    case UInt8(ascii: "/"):
      if isLetter(byte(start + 2)) { return closed() }
      passDeclaration()
    case UInt8(ascii: "!"):
      if byte(start + 2) == UInt8(ascii: "-"), byte(start + 3) == UInt8(ascii: "-") {
        passComment()
      } else {
        passDeclaration()
      }
    case UInt8(ascii: "?"):
      passDeclaration()
    default:
      return literal()
    }
    return nil
  }

  private mutating func passDeclaration() {
    position = firstIndex(of: UInt8(ascii: ">"), from: start).map { $0 + 1 } ?? window.count
  }

  /// Passes over a comment; one that never ends is taken to end at the first `>`.
  private mutating func passComment() {
    var index = start + 4
    while base + Int64(start) >= commentsEnd {
      guard let dash = firstIndex(of: UInt8(ascii: "-"), from: index) else { break }
      if byte(dash + 1) == UInt8(ascii: "-"), byte(dash + 2) == UInt8(ascii: ">") {
        position = dash + 3
        return
      }
      index = dash + 1
    }
    // No comment up to here will be looked through for its end again, unless there is more to read.
    if hasReachedEnd, !canRead { commentsEnd = base + Int64(window.count) }
    passDeclaration()
  }

  private mutating func closed() -> Token? {
    var index = start + 2
    let tag = name(&index)
    while isInside(index), window[index] != UInt8(ascii: ">"), window[index] != UInt8(ascii: "<") { index += 1 }
    position = byte(index) == UInt8(ascii: ">") ? index + 1 : index
    return .close(tag)
  }

  private mutating func opened() -> Token? {
    var index = start + 1
    let tag = name(&index)
    attributes.removeAll(keepingCapacity: true)
    hasRecovered = false
    var hasQuotes = false
    while isInside(index) {
      let byte = window[index]
      if byte == UInt8(ascii: ">") {
        position = index + 1
        return .open(tag)
      }
      if byte == UInt8(ascii: "<") {
        // Text such as `a <b and <c>`; or a tag without its end. What was quoted is not looked at twice.
        if tag == .other, !hasQuotes { return literal() }
        position = index
        return .open(tag)
      }
      if isBlank(byte) || byte == UInt8(ascii: "/") {
        index += 1
      } else {
        hasQuotes = attribute(&index) || hasQuotes
      }
    }
    position = window.count
    return nil
  }

  // MARK: Names

  /// Reads a tag's name.
  private mutating func name(_ index: inout Int) -> Tag {
    let first = index
    var packed: UInt64 = 0
    while isInside(index), !HTMLTokenizer.endsName(window[index]) {
      packed = packed << 8 | UInt64(lowercased(window[index]))
      index += 1
    }
    guard index - first <= 4 else { return .other }
    for (word, tag) in HTMLTokenizer.tags where word == packed { return tag }
    return .other
  }

  private static let tags: [(UInt64, Tag)] = [
    ("a", .a), ("dt", .dt), ("dd", .dd), ("dl", .list), ("h3", .heading), ("hr", .rule), ("br", .lineBreak),
    ("li", .item), ("ul", .list), ("ol", .list), ("menu", .list), ("h1", .title), ("h2", .heading), ("h4", .heading),
    ("h5", .heading), ("h6", .heading), ("meta", .meta),
  ].map { word, tag in (word.utf8.reduce(0) { $0 << 8 | UInt64($1) }, tag) }
}
