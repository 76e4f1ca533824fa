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

  /// With what cannot be absent; the rest is set afterwards.
  package init(keyHash: [UInt8], name: String, types: DataTypes, addresses: [String] = [], pairedAt: Timestamp) {
    self.keyHash = keyHash
    self.name = name
    self.types = types
    self.addresses = addresses
    self.pairedAt = pairedAt
  }
}

extension RecordStore {
  /// All paired devices, in the order of their pairing.
  package func peers() throws -> [Peer] {
    try mapping {
      let read = try statement(
        """
        SELECT key_hash, name, types, addresses, paired_at, last_sync, version, revoked FROM peer ORDER BY no
        """)
      var peers: [Peer] = []
      while try read.step() {
        var peer = Peer(
          keyHash: read.bytes(0) ?? [], name: read.text(1) ?? "",
          types: DataTypes(rawValue: UInt32(truncatingIfNeeded: read.int64(2))),
          addresses: (read.text(3) ?? "").split(separator: "\n").map(String.init),
          pairedAt: Timestamp(microseconds: read.int64(4)))
        peer.lastSync = read.optionalInt64(5).map { Timestamp(microseconds: $0) }
        peer.version = read.int64(6)
        peer.isRevoked = read.int64(7) == 1
        peers.append(peer)
      }
      return peers
    }
  }

  /// Writes a paired device, new or known; on the disk even if the power fails.
  package func save(_ peer: Peer) throws {
    try writingDurably {
      let write = try statement(
        """
        INSERT INTO peer(key_hash, name, types, addresses, paired_at, last_sync, version, revoked)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT(key_hash) DO UPDATE SET name = ?2, types = ?3, addresses = ?4, paired_at = ?5, last_sync = ?6,
          version = ?7, revoked = ?8
        """)
      try write.bind(1, peer.keyHash)
      try write.bind(2, peer.name)
      try write.bind(3, Int64(peer.types.rawValue))
      try write.bind(4, peer.addresses.joined(separator: "\n"))
      try write.bind(5, peer.pairedAt.microseconds)
      try write.bind(6, peer.lastSync?.microseconds)
      try write.bind(7, peer.version)
      try write.bind(8, peer.isRevoked ? 1 : 0)
      try write.run()
    }
  }

  /// Forgets a paired device; the records it brought stay.
  package func deletePeer(keyHash: [UInt8]) throws {
    try writingDurably {
      let delete = try statement("DELETE FROM peer WHERE key_hash = ?1")
      try delete.bind(1, keyHash)
      try delete.run()
    }
  }
}
