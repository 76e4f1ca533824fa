package import BrowsingData

/// What a peer is in this connection.
package enum Role: UInt8, CaseIterable, Hashable, Sendable {
  /// It sends.
  case export = 1
  /// It receives.
  case `import` = 2
  /// Both do.
  case sync = 3
}

/// HELLO: the first message of each side. A stranger learns nothing from it.
package struct Hello: Hashable, Sendable {
  /// What versions it speaks.
  package var versions: ProtocolVersion
  /// What it wants to be.
  package var role: Role
  /// 16 random bytes, half of the session id of the pairing.
  package var nonce: [UInt8]
  /// Bit n set: it knows feature n. None so far.
  package var features: UInt64 = 0
  /// The transfer it comes back to, 16 bytes; only to a peer whose key is pinned.
  package var token: [UInt8]?

  /// With what cannot be absent; the rest is set afterwards.
  package init(versions: ProtocolVersion = .supported, role: Role, nonce: [UInt8], token: [UInt8]? = nil) {
    self.versions = versions
    self.role = role
    self.nonce = nonce
    self.token = token
  }
}

/// INFO: who it is, once, right after authentication. To be shown escaped.
package struct Info: Hashable, Sendable {
  /// The device's name.
  package var name: String
  /// The program and its version.
  package var software: String
  /// Its clock, milliseconds since 1970: only for a warning.
  package var clock: Int64
  /// The port on which it listens for devices that it knows; nil when it does not.
  package var port: UInt16?

  /// With what cannot be absent.
  package init(name: String, software: String, clock: Int64, port: UInt16? = nil) {
    self.name = name
    self.software = software
    self.clock = clock
    self.port = port
  }
}

/// PAIR_SHARE: one side's half of the key exchange.
package struct PairShare: Hashable, Sendable {
  /// How the secret came over.
  package enum Means: UInt8, CaseIterable, Hashable, Sendable {
    /// As ten digits.
    case digits = 1
    /// In a QR code.
    case qrCode = 2
  }
  /// The public share, 32 bytes.
  package var share: [UInt8]
  /// What the confirmation also vouches for.
  package var associatedData: [UInt8]
  /// How the secret came over.
  package var means: Means

  /// With everything.
  package init(share: [UInt8], associatedData: [UInt8], means: Means) {
    self.share = share
    self.associatedData = associatedData
    self.means = means
  }
}

/// PAIRED: the key of the other side is pinned.
package struct Paired: Hashable, Sendable {
  /// For how long it is pinned.
  package enum Mode: UInt8, CaseIterable, Hashable, Sendable {
    /// For this transfer.
    case session = 1
    /// Until one of the two forgets the other.
    case persistent = 2
  }
  /// For how long it is pinned.
  package var mode: Mode
  /// The transfer's token, 16 bytes; from the listener only.
  package var token: [UInt8]?

  /// With what cannot be absent.
  package init(mode: Mode, token: [UInt8]? = nil) {
    self.mode = mode
    self.token = token
  }
}

/// ERROR: what went wrong, without data.
package struct ErrorReport: Hashable, Sendable {
  /// What went wrong.
  package var code: ErrorCode
  /// Whether the session stays; else it is the last message.
  package var mayRetry: Bool
  /// A few words, at most 200 bytes, no data of a person; to be shown escaped.
  package var text = ""
  /// How many bytes of space are missing.
  package var needed: Int64?
  /// Which log it is about.
  package var log: ChangeLog?
  /// The exporter's incarnation, 16 bytes, with CURSOR: the cursors the importer named are of another store.
  package var incarnation: [UInt8]?

  /// With what cannot be absent; the rest is set afterwards.
  package init(_ code: ErrorCode, mayRetry: Bool? = nil) {
    self.code = code
    self.mayRetry = mayRetry ?? code.isRetryable
  }
}
