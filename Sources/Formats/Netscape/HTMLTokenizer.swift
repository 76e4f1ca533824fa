/// Cuts bookmark HTML into tags and text. It knows no raw-text elements, so that an unclosed `<script>` in a title swallows
/// nothing, and it recovers where HTML's own rules would lose a bookmark.
struct HTMLTokenizer {
  /// The tags that mean something in a bookmark file.
  enum Tag: UInt8 {
    case a
    case dt
    case dd
    case list
    case rule
    case title
    case heading
    case item
    case lineBreak
    case meta
    case other
  }

  /// What comes next.
  enum Token {
    case text(Range<Int>)
    case open(Tag)
    case close(Tag)
    case end
  }

  /// An attribute of the tag that was opened last, its value as it stands.
  struct Attribute {
    var name: Range<Int>
    var value: Range<Int>
    var known: NetscapeAttribute
  }

  /// The file, in UTF-8.
  let bytes: [UInt8]
  /// Attributes of the tag that was opened last.
  private(set) var attributes: [Attribute] = []
  /// Where the last token starts.
  private(set) var start = 0
  /// Whether a quote of the last tag had to be closed by guess.
  private(set) var hasRecovered = false
  private var position = 0
  private var hasCommentEnd = true

  /// More attributes than these no tag needs.
  private static let maximumAttributes = 256

  /// Over the bytes of a file.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next token. Comments and declarations are passed over.
  mutating func next() -> Token {
    while position < bytes.count {
      start = position
      if bytes[position] != UInt8(ascii: "<") {
        position = bytes.firstIndex(of: UInt8(ascii: "<"), from: position, to: bytes.count) ?? bytes.count
        return .text(start..<position)
      }
      if let token = markup() { return token }
    }
    start = bytes.count
    return .end
  }

  private func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func markup() -> Token? {
    let second = byte(position + 1)
    if isLetter(second) { return opened() }
    switch second {
    case UInt8(ascii: "/"):
      if isLetter(byte(position + 2)) { return closed() }
      passDeclaration()
    case UInt8(ascii: "!"):
      if byte(position + 2) == UInt8(ascii: "-"), byte(position + 3) == UInt8(ascii: "-") {
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

  /// A `<` that opens no tag.
  private mutating func literal() -> Token {
    position = start + 1
    return .text(start..<position)
  }

  private mutating func passDeclaration() {
    position = (bytes.firstIndex(of: UInt8(ascii: ">"), from: position, to: bytes.count) ?? bytes.count - 1) + 1
  }

  /// Passes over a comment; one that never ends is taken to end at the first `>`.
  private mutating func passComment() {
    var index = position + 4
    while hasCommentEnd {
      guard let dash = bytes.firstIndex(of: UInt8(ascii: "-"), from: index, to: bytes.count) else { break }
      if byte(dash + 1) == UInt8(ascii: "-"), byte(dash + 2) == UInt8(ascii: ">") {
        position = dash + 3
        return
      }
      index = dash + 1
    }
    hasCommentEnd = false
    passDeclaration()
  }

  private mutating func closed() -> Token? {
    var index = start + 2
    let tag = name(&index)
    while index < bytes.count, bytes[index] != UInt8(ascii: ">"), bytes[index] != UInt8(ascii: "<") { index += 1 }
    position = byte(index) == UInt8(ascii: ">") ? index + 1 : index
    return .close(tag)
  }

  private mutating func opened() -> Token? {
    var index = start + 1
    let tag = name(&index)
    attributes.removeAll(keepingCapacity: true)
    hasRecovered = false
    var hasQuotes = false
    while index < bytes.count {
      let byte = bytes[index]
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
    position = bytes.count
    return nil
  }

  /// Reads an attribute; true when its value is quoted.
  private mutating func attribute(_ index: inout Int) -> Bool {
    let first = index
    index += 1
    while index < bytes.count, !HTMLTokenizer.endsName(bytes[index]), bytes[index] != UInt8(ascii: "=") { index += 1 }
    let name = first..<index
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    guard byte(index) == UInt8(ascii: "=") else {
      add(name, index..<index)
      return false
    }
    index += 1
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    let mark = byte(index)
    if mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") {
      index += 1
      add(name, quoted(&index, by: mark))
      return true
    }
    let value = index
    while index < bytes.count, !isBlank(bytes[index]), bytes[index] != UInt8(ascii: ">") { index += 1 }
    add(name, value..<index)
    return false
  }

  private mutating func add(_ name: Range<Int>, _ value: Range<Int>) {
    guard attributes.count < HTMLTokenizer.maximumAttributes else { return }
    attributes.append(Attribute(name: name, value: value, known: NetscapeAttribute(bytes, name)))
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<")
  }

  /// Reads a value up to its quote. A value that runs over the next bookmark, or to the end of the file, lacks its quote:
  /// it is taken to end with its tag or line.
  private mutating func quoted(_ index: inout Int, by mark: UInt8) -> Range<Int> {
    let first = index
    let close = bytes.firstIndex(of: mark, from: first, to: bytes.count)
    if let close, !swallowsItem(first..<close) {
      index = close + 1
      return first..<close
    }
    hasRecovered = true
    let limit = close ?? bytes.count
    var end = first
    while end < limit, bytes[end] != UInt8(ascii: ">"), bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    index = end
    let other = mark ^ UInt8(ascii: "\"") ^ UInt8(ascii: "'")
    return first..<(end > first && bytes[end - 1] == other ? end - 1 : end)
  }

  /// Whether a line in this range starts with `<DT` or `<A `.
  private func swallowsItem(_ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while let less = bytes.firstIndex(of: UInt8(ascii: "<"), from: index, to: range.upperBound) {
      index = less + 1
      let isItem = lowercased(byte(less + 1)) == UInt8(ascii: "d") && lowercased(byte(less + 2)) == UInt8(ascii: "t")
      let isLink = lowercased(byte(less + 1)) == UInt8(ascii: "a") && isBlank(byte(less + 2))
      guard isItem || isLink else { continue }
      var before = less - 1
      while before >= range.lowerBound, bytes[before] == 0x20 || bytes[before] == 0x09 { before -= 1 }
      if before >= range.lowerBound, bytes[before] == 0x0A || bytes[before] == 0x0D { return true }
    }
    return false
  }

  // MARK: Names

  /// Reads a tag's name.
  private func name(_ index: inout Int) -> Tag {
    let first = index
    var packed: UInt64 = 0
    while index < bytes.count, !HTMLTokenizer.endsName(bytes[index]) {
      packed = packed << 8 | UInt64(lowercased(bytes[index]))
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
