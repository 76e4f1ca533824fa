import Testing

@testable import Browsers

/// Every pair is what Firefox's own parser makes of the address.
@Suite struct PageAddressTests {
  @Test(arguments: addresses)
  func `an address becomes what the browser makes of it`(address: String, normal: String?) {
    #expect(PageAddress.normalized(address) == normal)
  }

  @Test(arguments: addresses.compactMap(\.normal))
  func `a normal address stays`(address: String) {
    #expect(PageAddress.normalized(address) == address)
  }

  @Test(arguments: [("bücher", "bcher-kva"), ("日本", "wgv71a"), ("faß", "fa-hia"), ("ünïcödé-x", "ncd-x-dsa3b7c8b")])
  func `Punycode goes both ways`(text: String, encoded: String) {
    #expect(Punycode.encode(Array(text.unicodeScalars)) == encoded)
    #expect(Punycode.decode(encoded[...]) == Array(text.unicodeScalars))
  }

  @Test func `hostile Punycode is refused`() {
    #expect(Punycode.decode("99999999999999999999999999999"[...]) == nil)
    #expect(Punycode.decode("a-"[...])?.count == 1)
    #expect(Punycode.decode("!"[...]) == nil)
  }

  static let addresses: [(address: String, normal: String?)] = [
    ("HTTP://EXAMPLE.com", "http://example.com/"),
    ("https://a.example:443/x", "https://a.example/x"),
    ("http://a.example:80", "http://a.example/"),
    ("https://a.example:8443/", "https://a.example:8443/"),
    ("https://a.example/a b", "https://a.example/a%20b"),
    ("https://a.example/ü?ü=ä#ö", "https://a.example/%C3%BC?%C3%BC=%C3%A4#%C3%B6"),
    ("https://a.example/?q='\"<>`{}|^[]\\x", "https://a.example/?q=%27%22%3C%3E`{}|^[]\\x"),
    ("https://a.example/'\"<>`{}|^[]\\x", "https://a.example/'%22%3C%3E%60%7B%7D|%5E[]/x"),
    ("https://a.example/#'\"<>`{}|^[]\\ x", "https://a.example/#'%22%3C%3E%60{}|^[]\\%20x"),
    ("https://a.example/a/../b/./c//d", "https://a.example/b/c//d"),
    ("https://a.example/%7euser/%zz", "https://a.example/%7euser/%zz"),
    ("https://日本.example/日本", "https://xn--wgv71a.example/%E6%97%A5%E6%9C%AC"),
    ("https://ÄÖ.example/", "https://xn--4ca0b.example/"),
    ("https://user:pass@a.example/", "https://user:pass@a.example/"),
    ("https://us er:p@a.example/", "https://us%20er:p@a.example/"),
    ("http://[::1]:8000/", "http://[::1]:8000/"),
    ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://a.example.", "http://a.example./"),
    ("http:a.example/x", "http://a.example/x"),
    ("http:/a.example/x", "http://a.example/x"),
    ("https://a.example\\b\\c", "https://a.example/b/c"),
    ("  https://a.example/ ", "https://a.example/"),
    ("https://a.ex\u{9}ample/\u{a}foo", "https://a.example/foo"),
    ("https:///a.example", "https://a.example/"),
    ("https://", nil),
    ("https://a b.example/", nil),
    ("https://a.example:99999/", nil),
    ("https://a.example:0/", "https://a.example:0/"),
    ("javascript:alert('ü')", "javascript:alert('%C3%BC')"),
    ("javascript:alert(1) //  x ", "javascript:alert(1) //  x"),
    ("JavaScript:alert(\"a b\")", "javascript:alert(\"a b\")"),
    ("data:text/html,<b>ü x</b>#f ü", "data:text/html,<b>%C3%BC x</b>#f%20%C3%BC"),
    ("about:config", "about:config"),
    ("ABOUT:Config", "about:Config"),
    ("about:blank#x y", "about:blank#x%20y"),
    ("place:sort=8&maxResults=10", "place:sort=8&maxResults=10"),
    ("file:///a/b c/ü", "file:///a/b%20c/%C3%BC"),
    ("file:/a/b", "file:///a/b"),
    ("file://host/a", "file:///a"),
    ("FILE:///A", "file:///A"),
    ("ftp://f.example/ü x", "ftp://f.example/%C3%BC%20x"),
    ("mailto:A@b.example", "mailto:A@b.example"),
    ("mailto:ü@b.example", "mailto:%C3%BC@b.example"),
    ("chrome://browser/content/x", "chrome://browser/content/x"),
    ("moz-extension://abc/x", "moz-extension://abc/x"),
    ("view-source:https://a.example/ü", "view-source:https://a.example/%C3%BC"),
    ("urn:isbn:1 2", "urn:isbn:1 2"),
    ("tel:+1 2", "tel:+1 2"),
    ("foo://Host/Path x", "foo://Host/Path%20x"),
    ("foo:Bar baz ü", "foo:Bar baz %C3%BC"),
    ("blob:https://a.example/uuid", "blob:https://a.example/uuid"),
    ("feed:https://a.example/", "feed:https://a.example/"),
    ("ws://a.example", "ws://a.example/"),
    ("wss://a.example:443/x", "wss://a.example/x"),
    ("example.com", nil),
    ("/relative", nil),
    ("", nil),
    ("http", nil),
    ("http:", nil),
    ("https://a.example?x", "https://a.example/?x"),
    ("https://a.example#f", "https://a.example/#f"),
    ("https://a.example/a/../b#f", "https://a.example/b#f"),
    ("https://a.example/p#/./a/../%2e?b#c", "https://a.example/p#/./a/../%2e?b#c"),
    ("https://a.example/p?q#", "https://a.example/p?q#"),
    ("https://xn--wgv71a.example/", "https://xn--wgv71a.example/"),
    ("https://xn--a.example/", nil),
    ("https://a_b.example/", "https://a_b.example/"),
    ("https://-a.example/", "https://-a.example/"),
    ("https://a.example/%E3%81%82", "https://a.example/%E3%81%82"),
    ("https://a.example/\u{7}x", "https://a.example/%07x"),
    ("https://faß.de/", "https://xn--fa-hia.de/"),
    ("https://EXAMPLE.COM./", "https://example.com./"),
    ("https://a%20b.example/", nil),
    ("https://%61.example/", "https://a.example/"),
    ("https://a.example/a;b=c,d@e:f&g+h!i*j(k)$l~m", "https://a.example/a;b=c,d@e:f&g+h!i*j(k)$l~m"),
    ("https://a.example/😀?😀#😀", "https://a.example/%F0%9F%98%80?%F0%9F%98%80#%F0%9F%98%80"),
    ("javascript:void(0)\u{a}foo", "javascript:void(0)foo"),
    ("data:,a b", "data:,a b"),
    ("about:reader?url=https%3A%2F%2Fa.example", "about:reader?url=https%3A%2F%2Fa.example"),
    ("https://a.example/%2e%2e/x", "https://a.example/x"),
    ("https://a.example/x/%2E./y", "https://a.example/y"),
    ("http://256.1.1.1/", nil),
    ("https://exa mple/", nil),
    ("https://ex<ample/", nil),
    ("https://a.example/~`", "https://a.example/~%60"),
    ("sftp://h.example:22/x", "sftp://h.example:22/x"),
    ("irc://h/x", "irc://h/x"),
    ("https://a.example/?a=b c&d='", "https://a.example/?a=b%20c&d=%27"),
    ("resource://gre/x", "resource://gre/x"),
    ("magnet:?xt=urn:btih:x y", "magnet:?xt=urn:btih:x%20y"),
    ("edge://settings", "edge://settings"),
    ("brave://x/", "brave://x/"),
    ("vivaldi:x", "vivaldi:x"),
    ("opera://y", "opera://y"),
    ("chrome-extension://abcdef/page.html", "chrome-extension://abcdef/page.html"),
  ]
}
