/// The text of a file as UTF-8, in pieces: it is never held whole, whatever its encoding.
struct StreamedText {
  /// What the file is written in.
  let encoding: TextEncoding
  /// Whether a byte order mark or the file itself, not a guess, says so.
  let isDeclared: Bool
  /// Whether lines end with LF; else they end with CR.
  let hasLineFeeds: Bool
  private let input: any ByteInput

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Looks through a whole file for its encoding: a byte order mark; else UTF-8 where the bytes are valid, whatever the file
  /// says of itself; else what it says (`declared` looks for that in the front of it); else windows-1252.
  init(_ input: any ByteInput, declared: ([UInt8]) -> String? = { _ in nil }) throws(FormatError) {
    self.input = input
    let front = try input.prefix(4)
    let look = try Look(input)
    hasLineFeeds = look.hasLineFeeds
    if let isBigEndian = StreamedText.utf16Order(front), !front.starts(with: StreamedText.mark) {
      (encoding, isDeclared) = (.utf16(isBigEndian: isBigEndian), true)
    } else if look.isUTF8 {
      (encoding, isDeclared) = (.utf8, true)
    } else if front.starts(with: StreamedText.mark) {
      (encoding, isDeclared) = (.damagedUTF8, true)
    } else {
      let name = declared(try input.prefix(4096))
      (encoding, isDeclared) = (name.map { TextEncoding(named: $0) } ?? .windows1252, name != nil)
    }
  }

  /// The byte order where a mark gives it, or where the first character is a `<` of two bytes.
  private static func utf16Order(_ front: [UInt8]) -> Bool? {
    if front.starts(with: [0xFF, 0xFE]) || front.starts(with: [0x3C, 0]) { return false }
    if front.starts(with: [0xFE, 0xFF]) || front.starts(with: [0, 0x3C]) { return true }
    return nil
  }

  /// Starts at the first byte of the text, in UTF-8, behind a byte order mark.
  func open() throws(FormatError) -> any OpenByteInput {
    let stream = try input.open()
    let text: any OpenByteInput = encoding == .utf8 ? stream : TranscodedInput(stream, Transcoder(encoding))
    return try MarkedInput.passingMark(StreamedText.mark, of: text)
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

/// A text in another encoding as UTF-8.
private final class TranscodedInput: OpenByteInput {
  private let raw: any OpenByteInput
  private let transcoder: Transcoder
  private var chunk = [UInt8](repeating: 0, count: 64 << 10)
  private var text: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(_ raw: any OpenByteInput, _ transcoder: Transcoder) {
    self.raw = raw
    self.transcoder = transcoder
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    while position == text.count, !isAtEnd {
      let got = try raw.read(into: &chunk, count: chunk.count)
      isAtEnd = got == 0
      text = transcoder.convert(Array(chunk[..<got]), isLast: isAtEnd)
      position = 0
    }
    let count = min(buffer.count, text.count - position)
    if count > 0 { buffer.copyBytes(from: text[position..<(position + count)]) }
    position += count
    return count
  }
}

/// A text behind its first bytes, which were read already.
private final class MarkedInput: OpenByteInput {
  private let rest: any OpenByteInput
  private var front: ArraySlice<UInt8>

  private init(_ front: ArraySlice<UInt8>, _ rest: any OpenByteInput) {
    self.front = front
    self.rest = rest
  }

  /// The text without the mark, if it starts with it.
  static func passingMark(_ mark: [UInt8], of stream: any OpenByteInput) throws(FormatError) -> any OpenByteInput {
    var front = [UInt8](repeating: 0, count: mark.count)
    var count = 0
    while count < mark.count {
      var piece = [UInt8](repeating: 0, count: mark.count - count)
      let got = try stream.read(into: &piece, count: piece.count)
      if got == 0 { break }
      front.replaceSubrange(count..<(count + got), with: piece[..<got])
      count += got
    }
    return count == mark.count && front == mark ? stream : MarkedInput(front[..<count], stream)
  }

  var expectedCount: Int? { rest.expectedCount }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    if front.isEmpty { return try rest.read(into: buffer) }
    let count = min(front.count, buffer.count)
    buffer.copyBytes(from: front.prefix(count))
    front = front.dropFirst(count)
    return count
  }
}
