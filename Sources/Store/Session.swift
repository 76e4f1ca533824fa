package import BrowsingData
internal import SQLite

/// An open transfer, as it must survive a restart.
package struct Session: Hashable, Sendable {
  /// Which end this device is. The raw value is the file's number.
  package enum Role: Int64, Sendable, Hashable {
    /// It sends.
    case exporter = 1
    /// It receives.
    case importer = 2
  }
  /// How far it has come. The raw value is the file's number.
  package enum State: Int64, Sendable, Hashable {
    /// Under way or interrupted.
    case open = 1
    /// Everything was sent; the importer's word is missing.
    case ending = 2
    /// Both know that it is complete.
    case done = 3
    /// Ended by a person.
    case cancelled = 4
  }
  /// Its token, 16 bytes.
  package var token: [UInt8]
  /// Which end this device is.
  package var role: Role
  /// SHA-256 of the other's public key, pinned for this transfer alone; nil once it has ended.
  package var peerKey: [UInt8]?
  /// What was chosen and granted.
  package var types: DataTypes
  /// Where the exporter reads from, in the words of the command line.
  package var source: String?
  /// The profile chosen.
  package var profile: String?
  /// How far each kind is captured; the owner's encoding.
  package var capture: [UInt8]?
  /// Further facts; the owner's encoding.
  package var details: [UInt8]?
  /// How far it has come.
  package var state: State
  /// When it began.
  package var started: Timestamp
  /// When the two last heard of each other.
  package var lastContact: Timestamp

  /// With what cannot be absent; the rest is set afterwards.
  package init(token: [UInt8], role: Role, peerKey: [UInt8]?, types: DataTypes, started: Timestamp) {
    self.token = token
    self.role = role
    self.peerKey = peerKey
    self.types = types
    self.state = .open
    self.started = started
    self.lastContact = started
  }
}

extension RecordStore {
  /// All transfers that are known, the newest first.
  package func sessions() throws -> [Session] {
    try mapping {
      let read = try statement("\(RecordStore.sessionColumns) ORDER BY started DESC")
      var sessions: [Session] = []
      while try read.step() { sessions.append(RecordStore.session(read)) }
      return sessions
    }
  }

  /// The transfer with this token.
  package func session(token: [UInt8]) throws -> Session? {
    try mapping {
      let read = try statement("\(RecordStore.sessionColumns) WHERE token = ?1")
      try read.bind(1, token)
      defer { read.reset() }
      return try read.step() ? RecordStore.session(read) : nil
    }
  }

  /// Writes a transfer, new or known; on the disk even if the power fails. Inside another write it is a part of that.
  package func save(_ session: Session) throws {
    try writingDurably {
      let write = try statement(
        """
        INSERT OR REPLACE INTO session
          (token, role, peer_key, types, source, profile, capture, details, state, started, last_contact)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """)
      try write.bind(1, session.token)
      try write.bind(2, session.role.rawValue)
      try write.bind(3, session.peerKey)
      try write.bind(4, Int64(session.types.rawValue))
      try write.bind(5, session.source)
      try write.bind(6, session.profile)
      try write.bind(7, session.capture)
      try write.bind(8, session.details)
      try write.bind(9, session.state.rawValue)
      try write.bind(10, session.started.microseconds)
      try write.bind(11, session.lastContact.microseconds)
      try write.run()
    }
  }

  /// Forgets a transfer; what it brought stays.
  package func deleteSession(token: [UInt8]) throws {
    try writingDurably {
      let delete = try statement("DELETE FROM session WHERE token = ?1")
      try delete.bind(1, token)
      try delete.run()
    }
  }

  private static let sessionColumns =
    "SELECT token, role, peer_key, types, source, profile, capture, details, state, started, last_contact FROM session"

  private static func session(_ row: Statement) -> Session {
    var session = Session(
      token: row.bytes(0) ?? [], role: Session.Role(rawValue: row.int64(1)) ?? .importer, peerKey: row.bytes(2),
      types: DataTypes(rawValue: UInt32(truncatingIfNeeded: row.int64(3))),
      started: Timestamp(microseconds: row.int64(9)))
    session.source = row.text(4)
    session.profile = row.text(5)
    session.capture = row.bytes(6)
    session.details = row.bytes(7)
    session.state = Session.State(rawValue: row.int64(8)) ?? .cancelled
    session.lastContact = Timestamp(microseconds: row.int64(10))
    return session
  }
}
