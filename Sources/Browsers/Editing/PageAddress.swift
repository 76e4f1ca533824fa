/// An address as browsers hold it: what is stored must be what the browser's own parser makes of it, else it is not found
/// again. Follows the WHATWG URL standard as Firefox and Chromium agree on it; a host with characters outside ASCII is
/// lower-cased and written in Punycode without the tables of IDNA.
enum PageAddress {
  /// The normal form; nil when no browser takes it.
  static func normalized(_ text: String) -> String? {
    if isPlain(text) { return text }
    var bytes = Array(text.utf8)
    while let last = bytes.last, last <= 32 { bytes.removeLast() }
    bytes = Array(bytes.drop { $0 <= 32 })
    bytes.removeAll { $0 == 9 || $0 == 10 || $0 == 13 }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, isLetter(bytes[0]),
      bytes[..<colon].allSatisfy(isSchemeByte)
    else { return nil }
    let scheme = bytes[..<colon].map(lowercased)
    let rest = bytes[(colon + 1)...]
    let name = String(decoding: scheme, as: UTF8.self)
    if let port = defaultPorts[name] { return special(name, rest, defaultPort: port) }
    if name == "file" { return file(rest) }
    if rest.starts(with: [47, 47]) { return hierarchical(name, rest) }
    return opaque(name, rest)
  }

  private static let defaultPorts: [String: Int] = ["http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443]

  /// Most addresses of a history are normal already; this tells without making anything.
  static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
  }

  /// The same of bytes. False means only that it has to be looked at.
  static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    if bytes.starts(with: "https://".utf8) {
      index = 8
    } else if bytes.starts(with: "http://".utf8) {
      index = 7
    } else {
      return false
    }
    let hostStart = index
    var last: UInt8 = UInt8(ascii: ".")
    var hasLetter = false
    while index < bytes.count, bytes[index] != UInt8(ascii: "/") {
      let byte = bytes[index]
      switch byte {
      case 45: if last == 45 { return false }
      case 97...122, 95: hasLetter = true
      case 48...57: break
      case 46: if last == 46 { return false }
      default: return false
      }
      last = byte
      index += 1
    }
    // Numbers alone are an IP address; what has two hyphens may be Punycode.
    guard index > hostStart, index < bytes.count, hasLetter, isLetter(last) else { return false }
    return isPlainPath(bytes, from: index)
  }

  private static func isPlainPath(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var before: UInt8 = 0
    var isPath = true
    for byte in bytes[start...] {
      switch byte {
      case 97...122, 65...90, 48...57, 45, 95, 126, 33, 36, 38, 40...44, 58, 59, 61, 64, 47: break
      case 46: if isPath, before == 47 { return false }
      case 37: if isPath, before == 47 { return false }
      case 35, 63: isPath = false
      default: return false
      }
      before = byte
    }
    return true
  }

  // MARK: - The kinds of addresses

  private static func special(_ scheme: String, _ rest: ArraySlice<UInt8>, defaultPort: Int) -> String? {
    let after = rest.drop { $0 == 47 || $0 == 92 }
    let end = after.firstIndex { $0 == 47 || $0 == 92 || $0 == 63 || $0 == 35 } ?? after.endIndex
    guard let authority = authority(after[..<end], defaultPort: defaultPort) else { return nil }
    let parts = Parts(after[end...])
    let path = flattened(parts.path, backslashes: true)
    return scheme + "://" + authority + escaped(path, .path) + suffix(parts, .specialQuery)
  }

  private static func authority(_ bytes: ArraySlice<UInt8>, defaultPort: Int) -> String? {
    var host = bytes
    var user = ""
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")) {
      let name = bytes[..<at]
      if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
        let password = escaped(Array(name[name.index(after: colon)...]), .userinfo)
        user = escaped(Array(name[..<colon]), .userinfo) + (password.isEmpty ? "" : ":" + password)
      } else {
        user = escaped(Array(name), .userinfo)
      }
      if !user.isEmpty { user += "@" }
      host = bytes[bytes.index(after: at)...]
    }
    var port = ""
    let hostEnd = host.first == 91 ? host.firstIndex(of: 93) ?? host.startIndex : host.startIndex
    if let colon = host[hostEnd...].lastIndex(of: UInt8(ascii: ":")) {
      let digits = host[host.index(after: colon)...]
      guard digits.allSatisfy({ (48...57).contains($0) }), digits.count < 12 else { return nil }
      if !digits.isEmpty {
        guard let number = Int(String(decoding: digits, as: UTF8.self)), number < 65_536 else { return nil }
        if number != defaultPort { port = ":\(number)" }
      }
      host = host[..<colon]
    }
    guard let name = HostName.normalized(host) else { return nil }
    return user + name + port
  }

  private static func file(_ rest: ArraySlice<UInt8>) -> String {
    var rest = rest
    if rest.starts(with: [47, 47]) {
      // The host of a file address is dropped.
      rest = rest.dropFirst(2)
      rest = rest[(rest.firstIndex { $0 == 47 || $0 == 63 || $0 == 35 } ?? rest.endIndex)...]
    }
    let parts = Parts(rest)
    return "file://" + escaped(flattened(parts.path, backslashes: true), .path) + suffix(parts, .specialQuery)
  }

  /// An address of another scheme with an authority: that stays as it is.
  private static func hierarchical(_ scheme: String, _ rest: ArraySlice<UInt8>) -> String {
    let after = rest.dropFirst(2)
    let end = after.firstIndex { $0 == 47 || $0 == 63 || $0 == 35 } ?? after.endIndex
    let parts = Parts(after[end...])
    let path = parts.path.isEmpty ? [] : flattened(parts.path, backslashes: false)
    return scheme + "://" + escaped(Array(after[..<end]), .control) + escaped(path, .path) + suffix(parts, .query)
  }

  /// An address without slashes, such as `javascript:` or `about:`: only what is no ASCII is escaped.
  private static func opaque(_ scheme: String, _ rest: ArraySlice<UInt8>) -> String {
    let parts = Parts(rest)
    return scheme + ":" + escaped(parts.path, .control) + suffix(parts, .query)
  }

  private struct Parts {
    var path: [UInt8]
    var query: [UInt8]?
    var fragment: [UInt8]?

    init(_ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      if let hash = rest.firstIndex(of: 35) {
        fragment = Array(rest[(hash + 1)...])
        rest = rest[..<hash]
      }
      if let mark = rest.firstIndex(of: 63) {
        query = Array(rest[(mark + 1)...])
        rest = rest[..<mark]
      }
      path = Array(rest)
    }
  }

  private static func suffix(_ parts: Parts, _ query: EscapeSet) -> String {
    (parts.query.map { "?" + escaped($0, query) } ?? "") + (parts.fragment.map { "#" + escaped($0, .fragment) } ?? "")
  }

  /// Without `.` and `..`, with a slash at the front.
  private static func flattened(_ path: [UInt8], backslashes: Bool) -> [UInt8] {
    let pieces = path.split(omittingEmptySubsequences: false) { $0 == 47 || (backslashes && $0 == 92) }
    let first = pieces.first.map { $0.isEmpty } ?? false
    var kept: [ArraySlice<UInt8>] = []
    let segments = first ? Array(pieces.dropFirst()) : pieces
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch dots(segment) {
      case 2:
        _ = kept.popLast()
        if isLast { kept.append([]) }
      case 1: if isLast { kept.append([]) }
      default: kept.append(segment)
      }
    }
    return kept.isEmpty ? [47] : kept.flatMap { [47] + $0 }
  }

  /// 1 for `.`, 2 for `..`, escaped or not; 0 for anything else.
  private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6 else { return 0 }
    var count = 0
    var rest = segment
    while !rest.isEmpty {
      if rest.first == 46 {
        rest = rest.dropFirst()
      } else if rest.starts(with: [37, 50, 69]) || rest.starts(with: [37, 50, 101]) {
        rest = rest.dropFirst(3)
      } else {
        return 0
      }
      count += 1
    }
    return count <= 2 ? count : 0
  }

  // MARK: - Escaping

  private enum EscapeSet {
    case control, fragment, query, specialQuery, path, userinfo

    private static let fragmentBytes = Set(" \"<>`".utf8)
    private static let queryBytes = Set(" \"#<>".utf8)
    private static let specialQueryBytes = Set(" \"#<>'".utf8)
    private static let pathBytes = Set(" \"#<>?`{}^".utf8)
    private static let userinfoBytes = Set(" \"#<>?`{}/:;=@[\\]^|".utf8)

    func contains(_ byte: UInt8) -> Bool {
      if byte < 32 || byte > 126 { return true }
      return switch self {
      case .control: false
      case .fragment: EscapeSet.fragmentBytes.contains(byte)
      case .query: EscapeSet.queryBytes.contains(byte)
      case .specialQuery: EscapeSet.specialQueryBytes.contains(byte)
      case .path: EscapeSet.pathBytes.contains(byte)
      case .userinfo: EscapeSet.userinfoBytes.contains(byte)
      }
    }
  }

  private static func escaped(_ bytes: [UInt8], _ set: EscapeSet) -> String {
    guard bytes.contains(where: { set.contains($0) }) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    for byte in bytes {
      guard set.contains(byte) else {
        result.append(byte)
        continue
      }
      result.append(37)
      for digit in [byte >> 4, byte & 15] { result.append(digit < 10 ? 48 + digit : 55 + digit) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (65...90).contains(byte) }
  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || (48...57).contains(byte) || byte == 43 || byte == 45 || byte == 46
  }
  static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
