/// Where a device listens: a numeric address or a host name, and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// A numeric address (IPv6 without brackets, with `%interface` when link-local) or a name; empty: all addresses.
  package var host: String
  /// The port; 0: any free one.
  package var port: UInt16

  /// From its parts.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// From `HOST:PORT`, `[IPv6]:PORT` or `:PORT`; nil for anything else.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), text.utf8.count <= 300 else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2 {
      host = host.dropFirst().dropLast()
    } else if host.contains(where: { ":[]".contains($0) }) {
      return nil
    }
    if host.contains(where: { "[]".contains($0) }) { return nil }
    guard host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != 44 }) else { return nil }
    self.init(host: host == "*" ? "" : String(host), port: port)
  }

  /// The form that `init?(_:)` reads.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this machine itself can reach it.
  package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") || host == "localhost" }
}
