/// The origin of an address: `scheme://host[:port]` in lower case, without user, path and the scheme's own port.
public enum Origin {
  /// The origin of an address; the string itself where it has no `scheme://`, or is an `android:` one.
  public static func of(_ url: String) -> String {
    let bytes = Array(url.utf8)
    guard let colon = bytes.firstIndex(of: 58), colon > 0, bytes.count > colon + 3, bytes[colon + 1] == 47,
      bytes[colon + 2] == 47, bytes[..<colon].allSatisfy(isSchemeByte)
    else { return url }
    let scheme = bytes[..<colon].map(lowercased)
    if scheme == Array("android".utf8) { return url }
    var end = colon + 3
    while end < bytes.count, ![47, 63, 35, 92].contains(bytes[end]) { end += 1 }
    var host = bytes[(colon + 3)..<end]
    if let at = host.lastIndex(of: 64) { host = host[(at + 1)...] }
    var authority = host.map(lowercased)
    for (name, port) in [("https", ":443"), ("http", ":80"), ("ftp", ":21")]
    where scheme == Array(name.utf8) && authority.count > port.utf8.count
      && authority.suffix(port.utf8.count).elementsEqual(port.utf8)
    {
      authority.removeLast(port.utf8.count)
    }
    return String(decoding: scheme + Array("://".utf8) + authority, as: UTF8.self)
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 65...90, 97...122, 48...57, 43, 45, 46: true
    default: false
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
