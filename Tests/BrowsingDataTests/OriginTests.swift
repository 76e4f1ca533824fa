import TestSupport
import Testing

@testable import BrowsingData

@Suite struct OriginTests {
  @Test(arguments: [
    ("https://a.test/path?q#f", "https://a.test"), ("HTTPS://User:p@A.Test:8443/x", "https://a.test:8443"),
    ("https://a.test:443", "https://a.test"), ("http://a.test:80/", "http://a.test"),
    ("ftp://a.test:21", "ftp://a.test"),
    ("http://a.test:443/", "http://a.test:443"), ("https://a@b@c.test/", "https://c.test"),
    ("https://a.test\\x", "https://a.test"), ("https://é.TEST/", "https://é.test"), ("https://:443", "https://:443"),
    ("android://hash@com.app/", "android://hash@com.app/"), ("ANDROID://x/", "ANDROID://x/"),
    ("a.test/login", "a.test/login"), ("mailto:a@b.test", "mailto:a@b.test"), ("https://", "https://"),
    ("://a", "://a"), ("", ""), ("we-ird+1.x://H:1/", "we-ird+1.x://h:1"), ("file:///etc", "file://"),
    ("https://[::1]:443/", "https://[::1]"),
  ])
  func `an origin is scheme, host and port`(url: String, origin: String) {
    #expect(Origin.of(url) == origin)
  }

  @Test func `it is what the plain way of writing it down says`() {
    var numbers = SeededGenerator(seed: 1006)
    let parts = [
      "http", "https", "HTTPS", "ftp", "android", "x-y", ":", "://", "//", "/", "@", "?", "#", "\\", ":443", ":80",
      ":21",
      ":", "a.test", "É", "日", " ", "%40", "[::1]", "A",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...7, using: &numbers)
      let url = (0..<count).map { _ in parts[Int.random(in: 0..<parts.count, using: &numbers)] }.joined()
      #expect(Origin.of(url) == plain(url), "\(url.debugDescription)")
      let realm = [nil, "", "r"][Int.random(in: 0...2, using: &numbers)]
      let plain = RecordIdentity.login(origin: plain(url), httpRealm: realm, username: url, occurrence: 3)
      var bytes: [UInt8] = []
      let id = RecordIdentity.withLogin(url: url, httpRealm: realm, username: url, occurrence: 3) {
        bytes = Array($0)
        return RecordID(high: 1, low: 2)
      }
      #expect(bytes == plain.bytes)
      #expect(id == RecordID(high: 1, low: 2))
    }
  }

  private func plain(_ url: String) -> String {
    let bytes = Array(url.utf8)
    func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
    func isScheme(_ byte: UInt8) -> Bool {
      (97...122).contains(lower(byte)) || (48...57).contains(byte) || [43, 45, 46].contains(byte)
    }
    guard let colon = bytes.firstIndex(of: 58), colon > 0, bytes.count > colon + 3, bytes[colon + 1] == 47,
      bytes[colon + 2] == 47, bytes[..<colon].allSatisfy(isScheme)
    else { return url }
    let scheme = bytes[..<colon].map(lower)
    if scheme == Array("android".utf8) { return url }
    var end = colon + 3
    while end < bytes.count, ![47, 63, 35, 92].contains(bytes[end]) { end += 1 }
    var host = bytes[(colon + 3)..<end]
    if let at = host.lastIndex(of: 64) { host = host[(at + 1)...] }
    var authority = host.map(lower)
    for (name, port) in [("https", ":443"), ("http", ":80"), ("ftp", ":21")]
    where scheme == Array(name.utf8) && authority.count > port.utf8.count
      && authority.suffix(port.utf8.count).elementsEqual(port.utf8)
    {
      authority.removeLast(port.utf8.count)
    }
    return String(decoding: scheme + Array("://".utf8) + authority, as: UTF8.self)
  }
}
