package import BrowsingData
internal import SQLite

/// A paired device.
package struct Peer: Hashable, Sendable {
  /// SHA-256 of its public key: who it is.
  package var keyHash: [UInt8]
  /// What it calls itself.
  package var name: String
  /// What is kept in step with it.
  package var types: DataTypes
  /// Which way.
  package var direction = SyncDirection.both
  /// Where it was last reached, `host:port`, the newest first.
  package var addresses: [String]
  /// When it was paired.
  package var pairedAt: Timestamp
  /// When the two were last in step.
  package var lastSync: Timestamp?
  /// The highest protocol version it has spoken: a lower one is refused.
  package var version: Int64 = 0
  /// Whether this pairing was ended.
  package var isRevoked = false
  /// Its number here; 0 before it is saved.
  package internal(set) var number: Int64 = 0
  /// Why its sync waits for a person; nil when it does not. Cleared by a sync that is forced.
  package internal(set) var hold: SyncHold?

  /// With what cannot be absent; the rest is set afterwards.
  package init(keyHash: [UInt8], name: String, types: DataTypes, addresses: [String] = [], pairedAt: Timestamp) {
    self.keyHash = keyHash
    self.name = name
    self.types = types
    self.addresses = addresses
    self.pairedAt = pairedAt
  }

  /// The kinds that this device sends to it.
  var sends: DataTypes { direction == .receiveOnly ? [] : types.intersection(.all) }
  /// The kinds that this device takes from it.
  var takes: DataTypes { direction == .sendOnly ? [] : types.intersection(.all) }
}

extension RecordStore {
  /// All paired devices, in the order of their pairing.
  package func peers() throws -> [Peer] {
    try mapping {
      let read = try statement("\(RecordStore.peerColumns) ORDER BY no")
      var peers: [Peer] = []
      while try read.step() { peers.append(RecordStore.peer(read)) }
      return peers
    }
  }

  /// The paired device with this key; nil when there is none.
  package func peer(keyHash: [UInt8]) throws -> Peer? {
    try mapping {
      let read = try statement("\(RecordStore.peerColumns) WHERE key_hash = ?1")
      try read.bind(1, keyHash)
      defer { read.reset() }
      return try read.step() ? RecordStore.peer(read) : nil
    }
  }

  /// Writes a paired device, new or known; on the disk even if the power fails.
  package func save(_ peer: Peer) throws {
    try writingDurably {
      let write = try statement(
        """
        INSERT INTO peer(key_hash, name, types, addresses, paired_at, last_sync, version, revoked, direction)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT(key_hash) DO UPDATE SET name = ?2, types = ?3, addresses = ?4, paired_at = ?5, last_sync = ?6,
          version = ?7, revoked = ?8, direction = ?9
        """)
      try write.bind(1, peer.keyHash)
      try write.bind(2, peer.name)
      try write.bind(3, Int64(peer.types.rawValue))
      try write.bind(4, peer.addresses.joined(separator: "\n"))
      try write.bind(5, peer.pairedAt.microseconds)
      try write.bind(6, peer.lastSync?.microseconds)
      try write.bind(7, peer.version)
      try write.bind(8, peer.isRevoked ? 1 : 0)
      try write.bind(9, peer.direction.rawValue)
      try write.run()
    }
  }

  /// Forgets a paired device and how far it had come; the records it brought stay.
  package func deletePeer(keyHash: [UInt8]) throws {
    try writingDurably {
      guard let peer = try peer(keyHash: keyHash) else { return }
      try forgetCursors(peer: peer.number)
      for sql in [
        "DELETE FROM sync_page WHERE peer = ?1", "DELETE FROM retired WHERE peer = ?1",
        "DELETE FROM peer WHERE no = ?1",
      ] {
        let delete = try statement(sql)
        try delete.bind(1, peer.number)
        try delete.run()
      }
    }
  }

  /// Writes when the two were in step. Inside another write it is a part of that.
  func noteInStep(peer: Int64, at now: Timestamp) throws {
    try writing {
      let update = try statement("UPDATE peer SET last_sync = ?2 WHERE no = ?1")
      try update.bind(1, peer)
      try update.bind(2, now.microseconds)
      try update.run()
    }
  }

  /// Holds a peer's sync, or lets it go.
  func save(_ hold: SyncHold?, peer: Int64) throws {
    try writing {
      let update = try statement("UPDATE peer SET hold = ?2 WHERE no = ?1")
      try update.bind(1, peer)
      try update.bind(2, hold?.text)
      try update.run()
    }
  }

  private static let peerColumns = """
    SELECT key_hash, name, types, addresses, paired_at, last_sync, version, revoked, direction, no, hold FROM peer
    """

  private static func peer(_ read: Statement) -> Peer {
    var peer = Peer(
      keyHash: read.bytes(0) ?? [], name: read.text(1) ?? "",
      types: DataTypes(rawValue: UInt32(truncatingIfNeeded: read.int64(2))),
      addresses: (read.text(3) ?? "").split(separator: "\n").map(String.init),
      pairedAt: Timestamp(microseconds: read.int64(4)))
    peer.lastSync = read.optionalInt64(5).map { Timestamp(microseconds: $0) }
    peer.version = read.int64(6)
    peer.isRevoked = read.int64(7) == 1
    peer.direction = SyncDirection(rawValue: read.int64(8)) ?? .both
    peer.number = read.int64(9)
    peer.hold = read.text(10).flatMap { SyncHold(text: $0) }
    return peer
  }
}
