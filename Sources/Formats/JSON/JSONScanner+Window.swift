import Glibc

/// The window on the file.
extension JSONScanner {
  /// The next byte that is no white space; it is not passed over.
  @inline(__always)
  mutating func nextByte() throws(FormatError) -> UInt8 {
    var next = byte(position)
    if next == 0x20 {
      position &+= 1
      next = byte(position)
    }
    return next > 0x20 ? next : try passBlanks()
  }

  @inline(never)
  private mutating func passBlanks() throws(FormatError) -> UInt8 {
    var index = position
    while true {
      let next = byte(index)
      if next > 0x20 {
        position = index
        return next
      }
      if next == 0x0A {
        line &+= 1
        index &+= 1
        // Most line ends are followed by an indent.
        while (buffer + index).loadUnaligned(as: UInt64.self) == 0x2020_2020_2020_2020 { index &+= 8 }
      } else if next == 0x20 || (next == 0x0D || next == 0x09) {
        index &+= 1
      } else {
        position = index
        if index < end { throw damaged("a control character") }
        guard try refill() else { throw truncated }
        index = position
      }
    }
  }

  @inline(__always)
  func byte(_ index: Int) -> UInt8 { buffer.load(fromByteOffset: index, as: UInt8.self) }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  var truncated: FormatError { .truncated(.byte(base &+ Int64(end))) }

  func damaged(_ reason: String) -> FormatError {
    position >= end && isAtEnd ? truncated : .damaged(reason, .byte(offset))
  }

  mutating func refill() throws(FormatError) -> Bool { try refill(keeping: entryStart ?? position) }

  /// Reads on; what stands before `keeping` is dropped. False at the end of the file.
  @inline(never)
  mutating func refill(keeping: Int) throws(FormatError) -> Bool {
    if isAtEnd { return false }
    let kept = end &- keeping
    if keeping > 0 {
      memmove(buffer, buffer + keeping, kept)
      base &+= Int64(keeping)
      position &-= keeping
      if entryStart != nil { entryStart = 0 }
      end = kept
    }
    if end == capacity { try grow() }
    let room = UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity &- end)
    let count = try stream.read(into: room)
    end &+= count
    isAtEnd = count == 0
    (buffer + end).initializeMemory(as: UInt8.self, repeating: 0, count: JSONScanner.slack)
    return count > 0
  }

  private mutating func grow() throws(FormatError) {
    if capacity >= JSONScanner.maximumEntry {
      throw .tooLarge("a value of more than \(JSONScanner.maximumEntry >> 20) MiB", .byte(base))
    }
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2 + JSONScanner.slack, alignment: 16)
    larger.copyMemory(from: buffer, byteCount: end)
    buffer.deallocate()
    buffer = larger
    capacity *= 2
  }
}
