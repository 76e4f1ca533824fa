internal import BrowsingData
internal import Crypto
internal import SQLite

/// What a store knows of a peer's names.
struct PeerMarks {
  /// The incarnation it last named.
  var incarnation: RecordID?
  /// Its last edit then.
  var counter: Int64 = 0
}

// A store that was put back to an earlier state must not number its edits as before: what it numbers anew others hold
// for what they have seen. Its peers know better than itself how far it had come.
extension RecordStore {
  func peerMarks(_ peer: Int64) throws -> PeerMarks {
    let read = try statement("SELECT seen_inc, seen_n FROM peer WHERE no = ?1")
    try read.bind(1, peer)
    defer { read.reset() }
    guard try read.step() else { return PeerMarks() }
    return PeerMarks(incarnation: try read.recordID(0), counter: read.int64(1))
  }

  /// The greatest edit numbers seen of all other stores.
  func knownReplicas(_ marks: PeerMarks) throws -> [SyncDot] {
    let read = try statement("SELECT inc, max_n FROM replica ORDER BY no DESC LIMIT 1000")
    var known: [SyncDot] = []
    while try read.step() {
      let id = try read.requiredRecordID(0)
      let counter = max(read.int64(1), id == marks.incarnation ? marks.counter : 0)
      if id != replica, counter > 0 { known.append(SyncDot(incarnation: id, counter: counter)) }
    }
    return known
  }

  /// Whether somebody has seen more of this store than it has itself. Then it takes a new name before it writes.
  func takeNewNameIfOvertaken(by opening: SyncOpening) throws -> Bool {
    try writing {
      let known = opening.knows.first { $0.incarnation == replica }?.counter ?? 0
      let isAboutUs = opening.cursorsAbout == replica
      let cursor = isAboutUs ? opening.cursors.values.max() ?? 0 : 0
      guard let counters, known > counters.dot || cursor > counters.sequence else { return false }
      try takeNewName()
      return true
    }
  }

  /// Takes another name and forgets all paired devices, for a store that is a copy of another machine's.
  package func startOver() throws {
    try writingDurably {
      try takeNewName()
      for peer in try peers() { try deletePeer(keyHash: peer.keyHash) }
    }
  }

  /// Another incarnation: all peers begin with this store's logs anew. Inside `writing`.
  func takeNewName() throws {
    let name = Random.bytes(16)
    let update = try statement("UPDATE store SET incarnation = ?1")
    try update.bind(1, name)
    try update.run()
    guard let id = RecordID(bytes: name) else { throw StoreError.corrupt }
    replica = id
  }

  /// Takes note of the name a peer's store has. False when that store has been put back and does not know it yet. Throws
  /// `clonedIdentity` for a name that it had given up: another machine still bears it.
  func note(_ opening: SyncOpening, of peer: Int64) throws -> Bool {
    try writing {
      let marks = try peerMarks(peer)
      if try isRetired(opening.incarnation, peer) { throw StoreError.clonedIdentity }
      let read = try statement("SELECT max_n FROM replica WHERE inc = ?1")
      try read.bind(1, opening.incarnation.bytes)
      let seen = try read.step() ? read.int64(0) : 0
      read.reset()
      let isSame = marks.incarnation == opening.incarnation
      let cursors = try receivedLogs(peer: peer, incarnation: opening.incarnation.bytes)
      guard opening.counter >= max(seen, isSame ? marks.counter : 0),
        opening.sequence >= cursors.values.map(\.sequence).max() ?? 0
      else { return false }
      if isSame, marks.counter == opening.counter { return true }
      if let former = marks.incarnation, !isSame { try retire(former, peer) }
      let update = try statement("UPDATE peer SET seen_inc = ?2, seen_n = ?3 WHERE no = ?1")
      try update.bind(1, peer)
      try update.bind(2, opening.incarnation.bytes)
      try update.bind(3, opening.counter)
      try update.run()
      return true
    }
  }

  private func isRetired(_ incarnation: RecordID, _ peer: Int64) throws -> Bool {
    let read = try statement("SELECT 1 FROM retired WHERE peer = ?1 AND inc = ?2")
    try read.bind(1, peer)
    try read.bind(2, incarnation.bytes)
    defer { read.reset() }
    return try read.step()
  }

  /// What was known under a name that is given up is of no use any more.
  private func retire(_ incarnation: RecordID, _ peer: Int64) throws {
    try forgetCursors(peer: peer)
    let pages = try statement("DELETE FROM sync_page WHERE peer = ?1")
    try pages.bind(1, peer)
    try pages.run()
    let insert = try statement("INSERT OR IGNORE INTO retired(peer, inc) VALUES (?1, ?2)")
    try insert.bind(1, peer)
    try insert.bind(2, incarnation.bytes)
    try insert.run()
  }
}
