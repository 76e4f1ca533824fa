/// Whether bytes are UTF-8. ASCII is passed over eight bytes at a time: most of a file is.
func isValidUTF8(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { validUTF8Prefix($0) == $0.count } }

/// How many bytes at the front are whole characters in UTF-8.
func validUTF8Prefix(_ bytes: UnsafeRawBufferPointer) -> Int {
  var index = 0
  while index < bytes.count {
    if index &+ 8 <= bytes.count,
      bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      index &+= 8
    } else {
      let length = scalarLength(bytes, index)
      if length == 0 { return index }
      index &+= length
    }
  }
  return index
}

/// The number of bytes of the character at an index, 0 when there is none (Unicode, table 3-7).
@inline(__always)
private func scalarLength(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
  let first = bytes[index]
  if first < 0x80 { return 1 }
  func isTail(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
    index &+ offset < bytes.count && range.contains(bytes[index &+ offset])
  }
  switch first {
  case 0xC2...0xDF: return isTail(1) ? 2 : 0
  case 0xE0: return isTail(1, 0xA0...0xBF) && isTail(2) ? 3 : 0
  case 0xED: return isTail(1, 0x80...0x9F) && isTail(2) ? 3 : 0
  case 0xE1...0xEF: return isTail(1) && isTail(2) ? 3 : 0
  case 0xF0: return isTail(1, 0x90...0xBF) && isTail(2) && isTail(3) ? 4 : 0
  case 0xF1...0xF3: return isTail(1) && isTail(2) && isTail(3) ? 4 : 0
  case 0xF4: return isTail(1, 0x80...0x8F) && isTail(2) && isTail(3) ? 4 : 0
  default: return 0
  }
}
