/// The text of a file as UTF-8, in pieces: a file that is UTF-8 or windows-1252 is never held whole.
struct StreamedText {
  /// What the file is written in, decided as `DecodedText` does.
  let encoding: TextEncoding
  /// Whether lines end with LF; else they end with CR.
  let hasLineFeeds: Bool
  private let input: any ByteInput
  /// The length of the byte order mark.
  private let mark: Int

  /// In another encoding a file is held whole, and a longer one refused.
  static let maximumWhole = 64 << 20

  /// Looks through a whole file for its encoding.
  init(_ input: any ByteInput) throws(FormatError) {
    let front = try input.prefix(4)
    let hasMark = front.starts(with: [0xEF, 0xBB, 0xBF])
    let look = try Look(input)
    if DecodedText.utf16Order(front) != nil || (hasMark && !look.isUTF8) {
      self.init(DecodedText(try input.bytes(upTo: StreamedText.maximumWhole)))
    } else if look.isUTF8 {
      self.init(input, .utf8, hasLineFeeds: look.hasLineFeeds, mark: hasMark ? 3 : 0)
    } else {
      self.init(Windows1252Input(input), .windows1252, hasLineFeeds: look.hasLineFeeds, mark: 0)
    }
  }

  /// Of text in memory.
  init(_ text: DecodedText) {
    self.init(MemoryInput(text.bytes), text.encoding, hasLineFeeds: text.bytes.contains(0x0A), mark: 0)
  }

  private init(_ input: any ByteInput, _ encoding: TextEncoding, hasLineFeeds: Bool, mark: Int) {
    self.input = input
    self.encoding = encoding
    self.hasLineFeeds = hasLineFeeds
    self.mark = mark
  }

  /// Starts at the first byte of the text, in UTF-8.
  func open() throws(FormatError) -> any OpenByteInput {
    let stream = try input.open()
    var rest = mark
    var unused = [UInt8](repeating: 0, count: 3)
    while rest > 0 {
      let got = try stream.read(into: &unused, count: rest)
      if got == 0 { break }
      rest -= got
    }
    return stream
  }

  /// What there is to know of all the bytes.
  private struct Look {
    private(set) var isUTF8 = true
    private(set) var hasLineFeeds = false

    init(_ input: any ByteInput) throws(FormatError) {
      let stream = try input.open()
      var window = ByteWindow(stream, limit: 256 << 10)
      var valid = 0
      while isUTF8 || !hasLineFeeds, case .more = try window.read(keeping: valid) {
        hasLineFeeds = hasLineFeeds || window.firstIndex(of: 0x0A, from: 0, to: window.count) != nil
        valid = isUTF8 ? validUTF8Prefix(window.slice(0..<window.count)) : window.count
        // A character may be cut by the end of the window.
        if window.count - valid > 3 {
          isUTF8 = false
          valid = window.count
        }
      }
      if valid < window.count { isUTF8 = false }
    }
  }
}

/// A file in windows-1252 as UTF-8.
private struct Windows1252Input: ByteInput {
  private let raw: any ByteInput
  var name: String { raw.name }

  init(_ raw: any ByteInput) { self.raw = raw }

  func open() throws(FormatError) -> any OpenByteInput { Open(try raw.open()) }

  private final class Open: OpenByteInput {
    private let raw: any OpenByteInput
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)
    private var text: [UInt8] = []
    private var position = 0

    init(_ raw: any OpenByteInput) { self.raw = raw }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
      if position == text.count {
        let got = try raw.read(into: &chunk, count: chunk.count)
        text = Windows1252.utf8(Array(chunk[..<got]))
        position = 0
      }
      let count = min(buffer.count, text.count - position)
      if count > 0 { buffer.copyBytes(from: text[position..<(position + count)]) }
      position += count
      return count
    }
  }
}
