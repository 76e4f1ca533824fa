import BrowsingData
package import Channel
package import Store
import Wire

/// The paired devices as this one knows them. Used by the thread that opened the store.
package struct DeviceBook {
  private let store: RecordStore

  /// Over this store.
  package init(_ store: RecordStore) { self.store = store }

  /// All devices that are or were paired.
  package func all() throws -> [Peer] { try store.peers() }

  /// The devices that are paired now.
  package func devices() throws -> [Peer] { try store.peers().filter { !$0.isRevoked } }

  /// The device with this key, paired now or before.
  package func device(_ id: PeerID) throws -> Peer? { try store.peers().first { $0.keyHash == id.bytes } }

  /// Keeps a device's key: from now on it is known. One that was known keeps what else is known of it.
  func pin(_ id: PeerID, types: DataTypes) throws {
    var peer =
      try device(id)
      ?? Peer(keyHash: id.bytes, name: String(id.description.prefix(8)), types: types, pairedAt: WallClock.now)
    if peer.isRevoked { peer.pairedAt = WallClock.now }
    peer.isRevoked = false
    peer.types = types
    try store.save(peer)
  }

  /// Notes what a device calls itself and where it was. `calledHere`: a name given by the person here, which stands.
  func meet(_ id: PeerID, name: String, calledHere: String? = nil, address: Endpoint?) throws -> Peer {
    guard var peer = try device(id) else { throw TransferError(.revoked, theirs: false) }
    let before = peer
    if let calledHere {
      peer.name = try free(calledHere, for: id)
    } else if peer.name == id.description.prefix(8) {
      let own = String(name.unicodeScalars.filter { $0.value >= 32 }.prefix(64))
      if !own.isEmpty { peer.name = try free(own, for: id) }
    }
    if let text = address?.description {
      peer.addresses = [text] + peer.addresses.filter { $0 != text }.prefix(Self.maximumAddresses - 1)
    }
    if peer != before { try store.save(peer) }
    return peer
  }

  private static let maximumAddresses = 8

  /// A name that no other paired device has.
  private func free(_ name: String, for id: PeerID) throws -> String {
    let taken = Set(try devices().filter { $0.keyHash != id.bytes }.map { $0.name.lowercased() })
    if !taken.contains(name.lowercased()) { return name }
    for number in 2... where !taken.contains("\(name) \(number)".lowercased()) { return "\(name) \(number)" }
    return name
  }

  /// Gives a device another name here. Throws when another device has it.
  package func rename(_ peer: Peer, to name: String) throws {
    guard let id = peer.id, try free(name, for: id) == name else {
      throw TransferError(.failed, "Another device has that name.", hint: "Choose another one.")
    }
    var changed = peer
    changed.name = name
    try store.save(changed)
  }

  /// The pairing is over, here or there: the key is no longer let in. What the device brought stays.
  package func revoke(_ peer: Peer) throws {
    var changed = peer
    changed.isRevoked = true
    try store.save(changed)
  }
}

extension Peer {
  /// Who it is; nil when the row holds no key.
  package var id: PeerID? { PeerID(bytes: keyHash) }
}
