/// Writes JSON into a `ByteOutput` through a buffer of 256 KiB. What comes out is only as well-formed as what is asked for.
final class JSONWriter {
  private let output: any ByteOutput
  private let buffer: UnsafeMutableRawPointer
  private var count = 0

  private static let capacity = 256 << 10
  /// Text is escaped in pieces of this many bytes, each at most six times as long.
  private static let piece = 16 << 10

  /// Into an output, which stays the caller's to finish.
  init(_ output: any ByteOutput) {
    self.output = output
    buffer = .allocate(byteCount: JSONWriter.capacity, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Hands everything over to the output.
  func flush() throws(FormatError) {
    try output.write(UnsafeRawBufferPointer(start: buffer, count: count))
    count = 0
  }

  /// Writes characters as they are: punctuation, keys.
  @inline(__always)
  func raw(_ text: StaticString) throws(FormatError) {
    try reserve(text.utf8CodeUnitCount)
    (buffer + count).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    count &+= text.utf8CodeUnitCount
  }

  /// Writes a number.
  @inline(__always)
  func number(_ value: Int64) throws(FormatError) {
    try reserve(20)
    var rest = value.magnitude
    var place = 1
    var limit: UInt64 = 10
    while rest >= limit, place < 19 {
      place &+= 1
      limit = limit &* 10
    }
    if value < 0 {
      store(UInt8(ascii: "-"), at: count)
      count &+= 1
    }
    for index in stride(from: count &+ place &- 1, through: count, by: -1) {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      store(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit), at: index)
      rest = quotient
    }
    count &+= place
  }

  /// Writes a string with its quotes, escaped.
  @inline(__always)
  func text(_ text: String) throws(FormatError) {
    var text = text
    var failure: FormatError?
    text.withUTF8 { bytes in
      do throws(FormatError) { try quoted(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func quoted(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    var start = 0
    try reserve(1)
    store(UInt8(ascii: "\""), at: count)
    count &+= 1
    while start < bytes.count {
      let end = min(bytes.count, start &+ JSONWriter.piece)
      try reserve((end &- start) &* 6 &+ 8)
      escape(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
    }
    try reserve(1)
    store(UInt8(ascii: "\""), at: count)
    count &+= 1
  }

  /// Eight bytes at once as long as none of them needs an escape. Room for all of it was reserved.
  private func escape(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    var place = count
    while index < bytes.count {
      if index &+ 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if JSONWords.mask(UInt64(littleEndian: word)) == 0 {
          (buffer + place).storeBytes(of: word, as: UInt64.self)
          index &+= 8
          place &+= 8
          continue
        }
      }
      let byte = bytes[index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        store(byte, at: place)
        place &+= 1
      } else {
        place &+= escape(byte, at: place)
      }
      index &+= 1
    }
    count = place
  }

  private func escape(_ byte: UInt8, at place: Int) -> Int {
    store(UInt8(ascii: "\\"), at: place)
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): store(byte, at: place &+ 1)
    case 0x08: store(UInt8(ascii: "b"), at: place &+ 1)
    case 0x09: store(UInt8(ascii: "t"), at: place &+ 1)
    case 0x0A: store(UInt8(ascii: "n"), at: place &+ 1)
    case 0x0C: store(UInt8(ascii: "f"), at: place &+ 1)
    case 0x0D: store(UInt8(ascii: "r"), at: place &+ 1)
    default:
      let digit = byte & 15
      for (index, letter) in [
        UInt8(ascii: "u"), 48, 48, 48 &+ (byte >> 4), digit < 10 ? 48 &+ digit : 87 &+ digit,
      ].enumerated() {
        store(letter, at: place &+ 1 &+ index)
      }
      return 6
    }
    return 2
  }

  @inline(__always)
  private func reserve(_ room: Int) throws(FormatError) {
    if count &+ room > JSONWriter.capacity { try flush() }
  }

  @inline(__always)
  private func store(_ byte: UInt8, at index: Int) { buffer.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
}
