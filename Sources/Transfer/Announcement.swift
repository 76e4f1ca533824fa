import Channel

/// How a listening session makes itself findable, where others can reach it and an Avahi daemon runs. Without one the code
/// and the address (`--at`) do the same.
struct Announcement {
  private let advertiser: Advertiser?
  /// Why nobody can find this device by its code alone; nil when they can, or when only this machine can reach it.
  let hindrance: String?

  /// Door digits that no other device in the network shows now.
  static func freeDoor(for listener: Listener) -> UInt8 {
    guard isReachable(listener), let others = try? Discovery.browse(until: .after(seconds: 1)) else {
      return PairingCode.randomDoor(avoiding: [])
    }
    return PairingCode.randomDoor(avoiding: Set(others.compactMap(\.door)))
  }

  /// Every device that is found within two seconds; none when there is no daemon. For a peer whose key is known: the pin decides.
  static func everyone() -> [Endpoint] {
    ((try? Discovery.browse(until: .after(seconds: 2))) ?? []).flatMap(\.endpoints)
  }

  /// Begins to advertise; `door` while a code is shown.
  init(of listener: Listener, door: UInt8?) {
    guard Announcement.isReachable(listener) else {
      advertiser = nil
      hindrance = nil
      return
    }
    do throws(DiscoveryError) {
      advertiser = try Advertiser(port: listener.port, Advertisement(door: door))
      hindrance = nil
    } catch {
      advertiser = nil
      switch error {
      case .unavailable(let reason): hindrance = reason
      }
    }
  }

  /// The code is no longer shown.
  func hideDoor() { advertiser?.change(to: Advertisement(door: nil)) }

  private static func isReachable(_ listener: Listener) -> Bool { listener.addresses.contains { !$0.isLoopback } }
}
