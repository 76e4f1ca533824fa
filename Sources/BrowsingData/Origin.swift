/// The origin of an address: `scheme://host[:port]` in lower case, without user, path and the scheme's own port.
public enum Origin {
  /// The origin of an address; the string itself where it has no `scheme://`, or is an `android:` one.
  public static func of(_ url: String) -> String {
    var url = url
    return url.withUTF8 { bytes in
      guard let parts = Parts(bytes) else { return nil }
      return String(unsafeUninitializedCapacity: parts.schemeEnd + 3 + parts.authority.count) { result in
        for index in 0..<parts.schemeEnd + 3 { result[index] = lowercased(bytes[index]) }
        for (index, byte) in bytes[parts.authority].enumerated() {
          result[parts.schemeEnd + 3 + index] = lowercased(byte)
        }
        return parts.schemeEnd + 3 + parts.authority.count
      }
    } ?? url
  }

  /// Where the parts of an address stand.
  private struct Parts {
    /// Where the colon stands.
    var schemeEnd: Int
    /// Host and port, without user and the scheme's own port.
    var authority: Range<Int>

    /// Nil where there is no `scheme://`, and for `android:`.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
      guard let colon = bytes.firstIndex(of: 58), colon > 0, bytes.count > colon + 3, bytes[colon + 1] == 47,
        bytes[colon + 2] == 47, bytes[..<colon].allSatisfy(isSchemeByte), !isWord(bytes[..<colon], "android")
      else { return nil }
      var start = colon + 3
      var end = start
      while end < bytes.count, bytes[end] != 47, bytes[end] != 63, bytes[end] != 35, bytes[end] != 92 {
        if bytes[end] == 64 { start = end + 1 }
        end += 1
      }
      let port: StaticString? =
        isWord(bytes[..<colon], "https")
        ? ":443" : isWord(bytes[..<colon], "http") ? ":80" : isWord(bytes[..<colon], "ftp") ? ":21" : nil
      if let port, end - start > port.utf8CodeUnitCount, isWord(bytes[(end - port.utf8CodeUnitCount)..<end], port) {
        end -= port.utf8CodeUnitCount
      }
      schemeEnd = colon
      authority = start..<end
    }
  }

  /// Whether bytes are this word, which is in lower case.
  private static func isWord(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ word: StaticString) -> Bool {
    bytes.count == word.utf8CodeUnitCount
      && bytes.indices.allSatisfy { lowercased(bytes[$0]) == word.utf8Start[$0 - bytes.startIndex] }
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 65...90, 97...122, 48...57, 43, 45, 46: true
    default: false
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
