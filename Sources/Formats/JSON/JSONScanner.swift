/// Reads JSON piece by piece through a window of 256 KiB, so that a file of any size costs the same memory.
/// Strict as RFC 8259 (but for a byte order mark, which is passed over); never recurses.
/// A caller walks down with `enterObject`, `nextMember`, `enterArray`, `nextElement` and must read or skip every value.
struct JSONScanner: ~Copyable {
  /// The kinds of value, told by the first byte.
  enum Kind {
    case object
    case array
    case string
    case number
    case bool
    case null
  }

  /// A string or entry longer than this is refused.
  static let maximumEntry = 16 << 20
  private static let window = 256 << 10
  /// What a gap or sixteen bytes of a string take beyond the last byte.
  static let slack = 80

  let stream: any OpenByteInput
  var buffer: UnsafeMutableRawPointer
  var capacity: Int
  /// The next byte to look at, and where the bytes in the window end; `slack` zeros follow.
  var position = 0
  var end = 0
  /// The offset in the file of the window's first byte.
  var base: Int64 = 0
  var entryStart: Int?
  var isAtEnd = false
  /// The levels that are open, each with its flags.
  var depth = 0
  let levels: UnsafeMutablePointer<UInt8>
  let maximumDepth: Int
  static let isObject: UInt8 = 1
  static let isStarted: UInt8 = 2
  /// For texts whose escapes are undone.
  var scratch: [UInt8] = []

  /// The line of the next byte, from 1.
  var line = 1
  /// The offset in the file of the next byte.
  var offset: Int64 { base &+ Int64(position) }

  /// Starts at the front of an input. Deeper nesting than `maximumDepth` is refused; Safari's files have four levels.
  static func open(_ input: any ByteInput, maximumDepth: Int = 64) throws(FormatError) -> JSONScanner {
    var scanner = JSONScanner(try input.open(), maximumDepth)
    while scanner.end < 3, try scanner.refill() {}
    if scanner.byte(0) == 0xEF, scanner.byte(1) == 0xBB, scanner.byte(2) == 0xBF { scanner.position = 3 }
    return scanner
  }

  private init(_ stream: any OpenByteInput, _ maximumDepth: Int) {
    self.stream = stream
    self.maximumDepth = maximumDepth
    levels = .allocate(capacity: max(1, maximumDepth))
    levels.initialize(repeating: 0, count: max(1, maximumDepth))
    capacity = JSONScanner.window
    buffer = .allocate(byteCount: capacity + JSONScanner.slack, alignment: 16)
    buffer.initializeMemory(as: UInt8.self, repeating: 0, count: JSONScanner.slack)
  }

  deinit {
    buffer.deallocate()
    levels.deallocate()
  }
}
