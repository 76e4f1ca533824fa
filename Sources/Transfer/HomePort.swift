import Channel
import Foundation
import Store

/// The port that a home keeps: devices that know this one find it where it was.
enum HomePort {
  private static func path(_ home: Home) -> String { home.state + "/port" }

  /// The port that is kept; nil when none was needed so far.
  static func kept(_ home: Home) -> UInt16? {
    guard let text = try? String(contentsOfFile: path(home), encoding: .utf8),
      let port = UInt16(text.trimmingCharacters(in: .whitespacesAndNewlines)), port > 0
    else { return nil }
    return port
  }

  /// Listens: where no port is said, on the one that is kept if it is free; what it comes to is kept.
  static func listen(_ endpoints: [Endpoint], _ home: Home) throws(ChannelError) -> Listener {
    if let listener = listenAsKept(endpoints, home) { return listener }
    let listener = try Listener(endpoints)
    keep(listener.port, home)
    return listener
  }

  /// The same beside a sync that runs: its port stays the one that is kept.
  static func listenBriefly(_ endpoints: [Endpoint], _ home: Home) throws(ChannelError) -> Listener {
    if let listener = listenAsKept(endpoints, home) { return listener }
    let isKeptFree = kept(home).map { (try? Listener([Endpoint(host: "", port: $0)])) != nil } ?? true
    let listener = try Listener(endpoints)
    if isKeptFree { keep(listener.port, home) }
    return listener
  }

  private static func listenAsKept(_ endpoints: [Endpoint], _ home: Home) -> Listener? {
    let wanted = endpoints.isEmpty ? [Endpoint(host: "", port: 0)] : endpoints
    guard let kept = kept(home), wanted.contains(where: { $0.port == 0 }) else { return nil }
    return try? Listener(wanted.map { Endpoint(host: $0.host, port: $0.port == 0 ? kept : $0.port) })
  }

  /// The port that is kept, or one that is free now and kept from now on; nil when there is none.
  static func reserve(_ home: Home) -> UInt16? {
    if let kept = kept(home) { return kept }
    guard let listener = try? Listener() else { return nil }
    keep(listener.port, home)
    return listener.port
  }

  /// To lose it costs a search in the network, no more.
  private static func keep(_ port: UInt16, _ home: Home) {
    try? String(port).write(toFile: path(home), atomically: true, encoding: .utf8)
  }
}
