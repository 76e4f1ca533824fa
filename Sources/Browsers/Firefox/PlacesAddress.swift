/// What places.sqlite keeps of an address beside it. The browser's SQL functions that make these are not in the file.
enum PlacesAddress {
  /// Longer ones Firefox refuses (bytes).
  static let maximumLength = 65_536
  private static let hashedLength = 1_500
  private static let searchedForScheme = 50

  /// `hash(url)`: 16 bits of the scheme's hash above 32 bits of the address's.
  static func hash(_ url: UnsafeRawBufferPointer) -> Int64 {
    let whole = UInt64(hashString(url.prefix(hashedLength)))
    guard let colon = url.prefix(searchedForScheme).firstIndex(of: UInt8(ascii: ":")) else { return Int64(whole) }
    return Int64(whole + UInt64(hashString(url.prefix(colon)) & 0xFFFF) << 32)
  }

  /// The same of a text.
  static func hash(_ url: String) -> Int64 {
    var url = url
    return url.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  /// mozilla::HashString.
  private static func hashString(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
    var hash: UInt32 = 0
    for byte in bytes { hash = 0x9E37_79B9 &* ((hash << 5 | hash >> 27) ^ UInt32(byte)) }
    return hash
  }

  /// Where the parts of an address are.
  struct Parts {
    /// `get_prefix(url)`: up to the slashes after the scheme.
    var prefix: Range<Int>
    /// `get_host_and_port(url)`: without user and password.
    var host: Range<Int>
    /// Whether it can have a host.
    var hasAuthority: Bool

    init(_ url: UnsafeRawBufferPointer) {
      guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else {
        prefix = 0..<0
        host = 0..<0
        hasAuthority = false
        return
      }
      hasAuthority =
        colon + 3 <= searchedForScheme && url.count > colon + 2 && url[colon + 1] == 47 && url[colon + 2] == 47
      let hasSlashes = url.count > colon + 2 && url[colon + 1] == 47 && url[colon + 2] == 47
      prefix = 0..<(hasSlashes ? colon + 3 : colon + 1)
      var start = prefix.upperBound
      var end = start
      while end < url.count, url[end] != 47, url[end] != 63, url[end] != 35 { end += 1 }
      if let at = url[start..<end].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
      host = start..<end
    }
  }

  /// The host and port backwards and a dot; only the dot where there is no host.
  static func appendReversedHost(_ url: UnsafeRawBufferPointer, _ parts: Parts, to result: inout [UInt8]) {
    if parts.hasAuthority {
      let host = url[parts.host]
      if host.allSatisfy({ $0 < 128 }) {
        result.append(contentsOf: host.reversed())
      } else {
        result.append(contentsOf: String(String(decoding: host, as: UTF8.self).reversed()).utf8)
      }
    }
    result.append(UInt8(ascii: "."))
  }

  /// A title as Firefox holds it: at most 4096 UTF-16 units, no character cut in two.
  static func cut(title: String) -> String {
    guard title.utf8.count > 4_096, title.utf16.count > 4_096 else { return title }
    var count = 0
    var end = title.unicodeScalars.startIndex
    while end < title.unicodeScalars.endIndex {
      let units = title.unicodeScalars[end].value > 0xFFFF ? 2 : 1
      if count + units > 4_096 { break }
      count += units
      end = title.unicodeScalars.index(after: end)
    }
    return String(title.unicodeScalars[..<end])
  }
}
