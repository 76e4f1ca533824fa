import Glibc

/// What is odd about an address, in words; nil when any browser opens it. The address is never part of the words.
func oddity(ofAddress url: String) -> String? {
  if isPlainWeb(url) { return nil }
  let bytes = Array(url.utf8)
  var end = 0
  while end < bytes.count, isSchemeByte(bytes[end]) { end += 1 }
  guard end > 0, end < bytes.count, bytes[end] == UInt8(ascii: ":"), isLetter(bytes[0]) else {
    return "an address without a scheme"
  }
  if bytes.isWord(0..<end, "http") || bytes.isWord(0..<end, "https") {
    let host = end + 3
    let hasHost = host < bytes.count && bytes[end + 1] == UInt8(ascii: "/") && bytes[end + 2] == UInt8(ascii: "/")
    return hasHost && bytes[host] != UInt8(ascii: "/") ? nil : "an address without a host"
  }
  let own: [StaticString] = [
    "about", "place", "chrome", "edge", "brave", "vivaldi", "opera", "moz-extension", "chrome-extension", "view-source",
  ]
  return own.contains { bytes.isWord(0..<end, $0) } ? "an address that only the browser it comes from opens" : nil
}

private func isSchemeByte(_ byte: UInt8) -> Bool {
  isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
}

/// Whether it is an address of the web with a host, told quickly: most are.
@inline(__always)
private func isPlainWeb(_ url: String) -> Bool {
  url.utf8.withContiguousStorageIfAvailable { bytes in
    guard bytes.count > 8, let base = bytes.baseAddress else { return false }
    if memcmp(base, "https://", 8) == 0 { return bytes[8] != UInt8(ascii: "/") }
    return memcmp(base, "http://", 7) == 0 && bytes[7] != UInt8(ascii: "/")
  } ?? false
}
