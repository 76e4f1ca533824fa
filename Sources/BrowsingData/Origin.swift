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

  /// Appends the origin's bytes and says how many they are; no string is made.
  static func append(of url: String, to result: inout [UInt8]) -> Int {
    var url = url
    return url.withUTF8 { bytes in
      guard let parts = Parts(bytes) else {
        result.append(contentsOf: bytes)
        return bytes.count
      }
      let first = result.count
      result.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<(parts.schemeEnd + 3)]))
      result.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[parts.authority]))
      result.withUnsafeMutableBufferPointer { written in
        for index in first..<written.count { written[index] = lowercased(written[index]) }
      }
      return parts.count
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
      while colon < bytes.count, isSchemeByte(bytes[colon]) { colon += 1 }
      guard colon > 0, bytes.count > colon + 3, bytes[colon] == 58, bytes[colon + 1] == 47, bytes[colon + 2] == 47,
        !isWord(bytes, 0..<colon, "android")
      else { return nil }
      var start = colon + 3
      var end = start
      while end < bytes.count, bytes[end] != 47, bytes[end] != 63, bytes[end] != 35, bytes[end] != 92 {
        if bytes[end] == 64 { start = end + 1 }
        end += 1
      }
      let port: StaticString? =
        isWord(bytes, 0..<colon, "https")
        ? ":443" : isWord(bytes, 0..<colon, "http") ? ":80" : isWord(bytes, 0..<colon, "ftp") ? ":21" : nil
      if let port, end - start > port.utf8CodeUnitCount, isWord(bytes, (end - port.utf8CodeUnitCount)..<end, port) {
        end -= port.utf8CodeUnitCount
      }
      schemeEnd = colon
      authority = start..<end
    }
  }

  /// Whether a range of bytes is this word, which is in lower case.
  private static func isWord(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count where lowercased(bytes[range.lowerBound + offset]) != word.utf8Start[offset] {
      return false
    }
    return true
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 65...90, 97...122, 48...57, 43, 45, 46: true
    default: false
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
