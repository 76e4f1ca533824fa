/// The values of a row that was read, usable until the reader goes on.
struct CSVRow {
  /// A value of a row.
  struct Field {
    /// From the start of the row, or in what was copied because quotes had to be undone.
    private let start: Int32
    private let end: Int32
    var isCopied = false
    /// Whether it stood in quotes: some programs tell "" from nothing.
    var isQuoted = false
    /// Whether quotes in it are still doubled.
    var isDoubled = false

    /// A range of what may be held: it fits 32 bits.
    @inline(__always)
    init(_ range: Range<Int>, isCopied: Bool = false, isQuoted: Bool = false, isDoubled: Bool = false) {
      start = Int32(truncatingIfNeeded: range.lowerBound)
      end = Int32(truncatingIfNeeded: range.upperBound)
      self.isCopied = isCopied
      self.isQuoted = isQuoted
      self.isDoubled = isDoubled
    }

    @inline(__always)
    var range: Range<Int> { Range(uncheckedBounds: (Int(start), Int(end))) }
    @inline(__always)
    var isEmpty: Bool { start == end }
  }

  private let fields: UnsafeBufferPointer<Field>
  /// From the row's first byte to the end of what is in view.
  private let bytes: UnsafeRawBufferPointer
  /// Values whose quotes were undone.
  private let copied: [UInt8]
  private let isASCII: Bool

  /// Of a reader that has read a row.
  init(
    _ fields: UnsafeBufferPointer<Field>, of bytes: UnsafeRawBufferPointer, copied: [UInt8], isASCII: Bool
  ) {
    self.fields = fields
    self.bytes = bytes
    self.copied = copied
    self.isASCII = isASCII
  }

  /// How many values there are.
  var count: Int { fields.count }

  /// Whether a value is there and not empty.
  @inline(__always)
  func isEmpty(_ index: Int) -> Bool { index >= fields.count || fields[index].isEmpty }

  /// Whether a value stands in quotes.
  func isQuoted(_ index: Int) -> Bool { index < fields.count && fields[index].isQuoted }

  /// Hands over the bytes of a value; none where the row ends before it.
  @inline(__always)
  func withBytes<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    guard index < fields.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let field = fields[index]
    if field.isCopied {
      return copied.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[field.range])) }
    }
    let raw = UnsafeRawBufferPointer(rebasing: bytes[field.range])
    if !field.isDoubled { return body(raw) }
    return withUnsafeTemporaryAllocation(byteCount: raw.count, alignment: 1) { memory in
      body(CSVRow.undoubled(raw, memory))
    }
  }

  /// The text of a value; "" where the row ends before it.
  @inline(never)
  func text(_ index: Int) -> String {
    withBytes(index) { bytes in
      isASCII ? asciiString(bytes) : validatedString(bytes) ?? String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Whether a value is this word, letters of either case alike. The word is in lower case.
  func isWord(_ index: Int, _ word: StaticString) -> Bool {
    withBytes(index) { $0.isWord(0..<$0.count, word) }
  }

  /// The value with one quote for each two.
  @inline(__always)
  private static func undoubled(
    _ raw: UnsafeRawBufferPointer, _ memory: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    var (index, count) = (0, 0)
    while index < raw.count {
      memory[count] = raw[index]
      count &+= 1
      index &+= raw[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return UnsafeRawBufferPointer(start: memory.baseAddress, count: count)
  }
}
