import Channel
import Transfer

/// Devices of this network that show a code.
struct Neighbours: Sendable {
  let prompts: Prompts
  let output: Output

  /// Where the device is that shows a code with these door digits. Of two that do, the person chooses: a code is never
  /// tried on a second device.
  func showing(_ door: UInt8) throws(TransferError) -> [Endpoint] {
    let found: [FoundDevice]
    do throws(DiscoveryError) {
      found = try Neighbours.browse(for: door)
    } catch {
      throw TransferError(
        .notFound, "Devices cannot be found by themselves here: the Avahi daemon does not run.",
        hint: "Say where the other machine is: --at HOST:PORT, as it shows; or install avahi-daemon on both.")
    }
    if let only = found.first, found.count == 1 { return only.endpoints }
    if found.isEmpty {
      throw TransferError(
        .notFound, "No device in this network shows that code.",
        hint: "Look at the code again, or say where the other machine is: --at HOST:PORT.")
    }
    return try choose(found)
  }

  private func choose(_ found: [FoundDevice]) throws(TransferError) -> [Endpoint] {
    let places = found.map { list($0.endpoints.map(\.description)) }
    for (index, place) in places.enumerated() { output.note("  \(index + 1)  \(visible(place))") }
    if let line = prompts.line("More than one device shows such a code. Which one?"), let number = Int(line),
      found.indices.contains(number - 1)
    {
      return found[number - 1].endpoints
    }
    throw TransferError(
      .notFound, "\(counted(found.count, "device")) may show that code.",
      hint: "Say which: --at HOST:PORT, one of \(places.joined(separator: " or ")).")
  }

  private static func browse(for door: UInt8) throws(DiscoveryError) -> [FoundDevice] {
    var firstSeen: Int64?
    let devices = try Discovery.browse(until: .after(seconds: 5)) { devices in
      guard devices.contains(where: { $0.door == door }) else { return false }
      // A little longer, to hear of a second one.
      let now = microseconds()
      if firstSeen == nil { firstSeen = now }
      return now - (firstSeen ?? now) > 500_000
    }
    return devices.filter { $0.door == door && !$0.endpoints.isEmpty }
  }
}
