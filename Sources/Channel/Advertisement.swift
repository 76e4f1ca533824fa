/// What a listening device tells the network, as values: `v=1`, and `d=NN` while a code with these door digits is shown.
/// No name, no key, no port of anything else.
package struct Advertisement: Equatable, Sendable {
  /// The DNS-SD service type.
  package static let serviceType = "_wherry._tcp"
  private static let version = "v=1"

  /// The two public digits of the code that is shown, if any.
  package var door: UInt8?

  /// From door digits.
  package init(door: UInt8?) { self.door = door.flatMap { $0 < 100 ? $0 : nil } }

  /// The strings of the TXT record.
  package var strings: [String] {
    [Advertisement.version] + (door.map { ["d=" + ($0 < 10 ? "0" : "") + "\($0)"] } ?? [])
  }

  /// From the strings of somebody's TXT record; nil when it is another version. Anything may stand in them.
  package init?(strings: [[UInt8]]) {
    guard strings.contains(Array(Advertisement.version.utf8)) else { return nil }
    let doors = strings.filter { $0.starts(with: Array("d=".utf8)) }
    guard let text = doors.first, doors.count == 1, text.count == 4, (48...57).contains(text[2]),
      (48...57).contains(text[3])
    else {
      self.init(door: nil)
      return
    }
    self.init(door: (text[2] - 48) * 10 + (text[3] - 48))
  }
}

/// A device that was found in the network. Only a hint: anyone can answer; the pin or the code decides.
package struct FoundDevice: Equatable, Sendable {
  /// The random name of its advertisement: tells two of them apart, nothing else.
  package var name: String
  /// Where it can be reached.
  package var endpoints: [Endpoint]
  /// The door digits of the code that it shows, if it shows one.
  package var door: UInt8?

  /// From its parts.
  package init(name: String, endpoints: [Endpoint], door: UInt8?) {
    self.name = name
    self.endpoints = endpoints
    self.door = door
  }
}

/// Why the network cannot be searched.
package enum DiscoveryError: Error, Equatable, Sendable {
  /// There is no Avahi daemon, no system bus, or they refuse; the reason in Avahi's words.
  case unavailable(String)
}
