/// The origin of an address: `scheme://host[:port]` in lower case, without user, path and the scheme's own port.
public enum Origin {
  /// The origin of an address; the string itself where it has no `scheme://`, or is an `android:` one.
  public static func of(_ url: String) -> String {
    var url = url
    return url.withUTF8 { bytes in
      guard let parts = Parts(bytes) else { return nil }
      return String(unsafeUninitializedCapacity: parts.count) { result in
        var place = 0
        parts.forEachByte(of: bytes) { byte in
          result[place] = byte
          place &+= 1
        }
        return place
      }
    } ?? url
  }

  /// Writes the origin's bytes, at most as many as the address has, and says how many they are; no string is made.
  static func write(of bytes: UnsafeBufferPointer<UInt8>, to result: UnsafeMutableRawBufferPointer) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    guard let parts = Parts(bytes) else {
      result.copyMemory(from: raw)
      return bytes.count
    }
    let scheme = parts.schemeEnd + 3
    result.copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[..<scheme]))
    UnsafeMutableRawBufferPointer(rebasing: result[scheme...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[parts.authority]))
    lowercase(UnsafeMutableRawBufferPointer(rebasing: result[..<parts.count]))
    return parts.count
  }

  /// Puts the letters of ASCII into lower case, eight bytes at a time.
  private static func lowercase(_ bytes: UnsafeMutableRawBufferPointer) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = 0
    while index &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let low = word & (ones &* 0x7F)
      // Bit 7 of each byte: it is at least "A", it is above "Z", it is ASCII.
      let capitals = (low &+ (ones &* 63)) & ~(low &+ (ones &* 37)) & ~word & (ones &* 0x80)
      if capitals != 0 { bytes.storeBytes(of: word | (capitals >> 2), toByteOffset: index, as: UInt64.self) }
      index &+= 8
    }
    while index < bytes.count {
      bytes[index] = lowercased(bytes[index])
      index &+= 1
    }
  }

  /// Where the parts of an address stand.
  private struct Parts {
    /// Where the colon stands.
    var schemeEnd: Int
    /// Host and port, without user and the scheme's own port.
    var authority: Range<Int>
    /// How many bytes the origin has.
    var count: Int { schemeEnd + 3 + authority.count }

    /// The origin, byte for byte.
    @inline(__always)
    func forEachByte(of bytes: UnsafeBufferPointer<UInt8>, _ body: (UInt8) -> Void) {
      for index in 0..<(schemeEnd + 3) { body(lowercased(bytes[index])) }
      for index in authority { body(lowercased(bytes[index])) }
    }

    /// Nil where there is no `scheme://`, and for `android:`.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
      var colon = 0
      while colon < bytes.count, isSchemeByte(bytes[colon]) { colon &+= 1 }
      guard colon > 0, bytes.count > colon &+ 3, bytes[colon] == 58, bytes[colon &+ 1] == 47, bytes[colon &+ 2] == 47,
        !isWord(bytes, 0..<colon, "android")
      else { return nil }
      var start = colon &+ 3
      var end = start
      var portColon = -1
      while end < bytes.count {
        let byte = bytes[end]
        if byte > 64 {
          if byte == 92 { break }
        } else if byte < 58 {
          if byte == 47 || byte == 35 { break }
        } else if byte == 63 {
          break
        } else if byte == 64 {
          start = end &+ 1
        } else if byte == 58 {
          portColon = end
        }
        end &+= 1
      }
      if portColon > start, isOwnPort(bytes, portColon..<end, schemeEnd: colon) { end = portColon }
      schemeEnd = colon
      authority = start..<end
    }
  }

  /// Whether a port, with its colon, is the scheme's own.
  private static func isOwnPort(_ bytes: UnsafeBufferPointer<UInt8>, _ port: Range<Int>, schemeEnd: Int) -> Bool {
    let scheme = 0..<schemeEnd
    return isWord(bytes, port, ":443") && isWord(bytes, scheme, "https")
      || isWord(bytes, port, ":80") && isWord(bytes, scheme, "http")
      || isWord(bytes, port, ":21") && isWord(bytes, scheme, "ftp")
  }

  /// Whether a range of bytes is this word, which is in lower case.
  @inline(__always)
  private static func isWord(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count where lowercased(bytes[range.lowerBound &+ offset]) != word.utf8Start[offset] {
      return false
    }
    return true
  }

  @inline(__always)
  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 97 < 26 || byte &- 48 < 10 || byte == 43 || byte == 45 || byte == 46
  }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
