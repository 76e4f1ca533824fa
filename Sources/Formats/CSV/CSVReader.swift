/// Reads comma-separated values row by row: RFC 4180, and what programs write in its place. A value is a range of the row
/// until its text is asked for. The file is read through a window: a row costs memory, the file does not.
///
/// Nearly every row is read by `wholeRow`, in one pass over the window. Rows that it does not take (cut by the window's
/// end, or with quotes where none belong) are read by `row`, which is careful about everything.
struct CSVReader: ~Copyable {
  typealias Field = CSVRow.Field

  /// What is wrong with a row.
  struct Trouble: OptionSet {
    let rawValue: UInt8
    static let textAfterQuote = Trouble(rawValue: 1)
    static let unclosedQuote = Trouble(rawValue: 2)
    static let longField = Trouble(rawValue: 4)
    static let nul = Trouble(rawValue: 8)
    static let strayQuote = Trouble(rawValue: 16)
    /// The row is longer than what may be held.
    static let overlong = Trouble(rawValue: 32)
    /// The row makes no sense as it was read.
    static let nonsense: Trouble = [.textAfterQuote, .unclosedQuote]
  }

  /// A longer value is refused.
  static let maximumField = 1 << 20
  /// Further values of a row are passed over.
  static let maximumFields = 1024
  static let quote = UInt8(ascii: "\"")
  /// No more of a row is ever held.
  static let maximumRow = 16 << 20

  var window: ByteWindow
  var delimiter = UInt8(ascii: ",")
  private let lineMark: UInt8
  /// Room for the values of the row that was read last.
  private let places: UnsafeMutablePointer<Field>
  private(set) var fieldCount = 0
  /// What is wrong with it.
  var trouble: Trouble = []
  /// Where that row starts in the window, and the next one.
  var rowStart = 0
  var position = 0
  private(set) var isAtEnd = false
  /// Values whose quotes were undone.
  var copied: [UInt8] = []
  /// The line of the byte at `counted`.
  private var lines = 1
  private var counted = 0
  /// The line of the row when it is no longer in the window.
  var rowLine: Int?
  /// How many values the first row has.
  var width = 0
  /// Whether all of the row is ASCII.
  var isASCII = false
  /// Whether a backslash stands before a quote of the row.
  var isBackslashSeen = false
  /// How often a second way of reading a row, or going on behind a quote that is never closed, was of no use. A file can
  /// be made such that each costs as much as may be held.
  var failures = 0

  /// Over a text. The delimiter is a comma, or a semicolon or tab that stands in the first line when no comma does; a
  /// first line `sep=;` says it.
  static func open(_ text: StreamedText) throws(FormatError) -> CSVReader {
    var reader = CSVReader(try text.open(), lineMark: text.hasLineFeeds ? 0x0A : 0x0D)
    try reader.passPreamble()
    return reader
  }

  private init(_ stream: any OpenByteInput, lineMark: UInt8) {
    window = ByteWindow(stream, limit: CSVReader.maximumRow)
    self.lineMark = lineMark
    places = .allocate(capacity: CSVReader.maximumFields)
  }

  deinit { places.deallocate() }

  // MARK: Values

  /// The row that was read last. Whoever looks at its values asks for it once: it is small, the reader is not.
  @inline(__always)
  var row: CSVRow {
    CSVRow(fields, of: window.slice(rowStart..<max(rowStart, window.count)), copied: copied, isASCII: isASCII)
  }

  /// The values of the row that was read last.
  @inline(__always)
  var fields: UnsafeBufferPointer<Field> { UnsafeBufferPointer(start: places, count: fieldCount) }

  // MARK: The row's values

  mutating func removeFields() { fieldCount = 0 }

  /// Puts back what the row was read as before.
  mutating func restore(_ fields: [Field]) {
    fieldCount = min(fields.count, CSVReader.maximumFields)
    for index in 0..<fieldCount { places[index] = fields[index] }
  }

  /// Adds a value; false when there is no room for more.
  @inline(__always)
  mutating func append(_ field: Field) -> Bool {
    if fieldCount == CSVReader.maximumFields { return false }
    places[fieldCount] = field
    fieldCount &+= 1
    return true
  }

  @inline(__always)
  func inWindow(_ range: Range<Int>) -> Range<Int> {
    Range(uncheckedBounds: (rowStart &+ range.lowerBound, rowStart &+ range.upperBound))
  }

  // MARK: Lines and window

  /// The line in which the last row starts.
  mutating func line() -> Int {
    if let rowLine { return rowLine }
    countLines()
    return lines
  }

  private mutating func countLines() {
    if counted < rowStart {
      lines &+= ByteWords.count(of: lineMark, UnsafeRawPointer(window.bytes), from: counted, to: rowStart)
    }
    counted = max(counted, rowStart)
  }

  /// Reads on behind the row, which then starts the window. False when there is no more, or no more may be held.
  mutating func more() throws(FormatError) -> Bool {
    if isAtEnd { return false }
    countLines()
    let growth = try window.read(keeping: rowStart)
    position &-= rowStart
    counted &-= rowStart
    rowStart = 0
    switch growth {
    case .more: return true
    case .full: return false
    case .ended:
      isAtEnd = true
      return false
    }
  }
}
