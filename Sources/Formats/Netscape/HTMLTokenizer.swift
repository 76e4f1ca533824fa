/// Cuts bookmark HTML into tags and text. It knows no raw-text elements, so that an unclosed `<script>` in a title swallows
/// nothing, and it recovers where HTML's own rules would lose a bookmark. The file is read through a window: a tag costs
/// memory, the file does not.
struct HTMLTokenizer: ~Copyable {
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
    /// A tag that is longer than what may be held; it was passed over.
    case overlong
    case end
  }

  /// An attribute of the tag that was opened last, its value as it stands.
  struct Attribute {
    var name: Range<Int>
    var value: Range<Int>
    var known: NetscapeAttribute
  }

  /// No more of a tag is ever held.
  static let maximumTag = 16 << 20
  /// A longer text comes in pieces.
  private static let maximumText = 64 << 10

  var window: ByteWindow
  private let lineMark: UInt8
  /// Attributes of the tag that was opened last.
  var attributes: [Attribute] = []
  /// Where the last token starts.
  var start = 0
  var position = 0
  /// Whether a quote of the last tag had to be closed by guess.
  var hasRecovered = false
  /// Whether what comes behind the window may change what the token is.
  var hasReachedEnd = false
  private var isAtEnd = false
  /// The offset in the file of the window's first byte.
  var base: Int64 = 0
  /// Before this offset no comment starts that ends.
  var commentsEnd: Int64 = 0
  /// The line of the byte at `counted`.
  private var lines = 1
  private var counted = 0

  /// Over a text in UTF-8. `lineMark` ends a line.
  init(_ text: any OpenByteInput, lineMark: UInt8) {
    window = ByteWindow(text, limit: HTMLTokenizer.maximumTag)
    self.lineMark = lineMark
  }

  /// What the ranges of the last token are ranges of.
  var bytes: UnsafeRawBufferPointer { window.slice(0..<window.count) }

  /// The length of the last token.
  var length: Int { position - start }

  /// The line in which the last token starts.
  mutating func line() -> Int {
    if counted < start {
      lines &+= ByteWords.count(of: lineMark, UnsafeRawPointer(window.bytes), from: counted, to: start)
    }
    counted = max(counted, start)
    return lines
  }

  /// The next token. Comments and declarations are passed over.
  mutating func next() throws(FormatError) -> Token {
    while true {
      start = position
      if position == window.count {
        if isAtEnd { return .end }
        try readOn()
        if window.count == 0 { return .end }
      }
      hasReachedEnd = false
      let token = window[start] == UInt8(ascii: "<") ? markup() : text()
      if hasReachedEnd, canRead {
        // With more behind it, it may be another one.
        try readOn()
        continue
      }
      if let token { return token }
      if hasReachedEnd, !isAtEnd, position == window.count { return .overlong }
    }
  }

  /// Whether more can be read behind the token.
  var canRead: Bool { !isAtEnd && (start > 0 || window.count < HTMLTokenizer.maximumTag) }

  /// Reads on behind the token, which then starts the window and is still to be looked at.
  private mutating func readOn() throws(FormatError) {
    _ = line()
    base += Int64(start)
    counted -= start
    var growth = try window.read(keeping: start)
    (start, position) = (0, 0)
    while case .more = growth, !window.isFull { growth = try window.read(keeping: 0) }
    if case .ended = growth { isAtEnd = true }
  }

  // MARK: Looking ahead

  mutating func isInside(_ index: Int) -> Bool {
    if index < window.count { return true }
    hasReachedEnd = true
    return false
  }

  mutating func byte(_ index: Int) -> UInt8 { isInside(index) ? window[index] : 0 }

  mutating func firstIndex(of byte: UInt8, from index: Int) -> Int? {
    if let found = window.firstIndex(of: byte, from: index, to: window.count) { return found }
    hasReachedEnd = true
    return nil
  }

  // MARK: Text

  private mutating func text() -> Token {
    if let less = window.firstIndex(of: UInt8(ascii: "<"), from: start, to: window.count) {
      position = less
      return .text(start..<less)
    }
    position = window.count
    if position - start < HTMLTokenizer.maximumText {
      hasReachedEnd = true
    } else {
      // No character reference may be cut in two.
      for last in (window.count - 64)..<window.count where window[last] == UInt8(ascii: "&") { position = last }
    }
    return .text(start..<position)
  }

  /// A `<` that opens no tag.
  mutating func literal() -> Token {
    position = start + 1
    return .text(start..<position)
  }
}
