/// Collects small pieces before they go to an output.
struct BufferedOutput {
  private let output: any ByteOutput
  /// What was not handed on yet.
  private var buffer: [UInt8] = []
  private var handedOn = 0
  /// How many bytes were written.
  var count: Int { handedOn + buffer.count }

  private static let size = 1 << 18

  /// In front of an output.
  init(_ output: any ByteOutput) { self.output = output }

  /// Appends a byte.
  mutating func write(_ byte: UInt8) { buffer.append(byte) }

  /// Appends text as UTF-8.
  mutating func write(_ text: StaticString) {
    buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends text as UTF-8.
  mutating func write(_ text: String) { buffer.append(contentsOf: text.utf8) }

  /// Appends a number in decimal.
  mutating func write(_ number: Int64) { write(String(number)) }

  /// Hands on what has gathered when it is enough.
  mutating func flushIfFull() throws(FormatError) { if buffer.count >= BufferedOutput.size { try flush() } }

  /// Hands on what has gathered.
  mutating func flush() throws(FormatError) {
    try output.write(buffer)
    handedOn += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// Ends the output.
  mutating func finish() throws(FormatError) {
    try flush()
    try output.finish()
  }

  /// Lets go of what has gathered and of the output.
  mutating func abandon() {
    buffer = []
    output.abandon()
  }
}
