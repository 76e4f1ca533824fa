package import Crypto

/// All that a pairing depends on and that is no message of it, as values: the machine draws nothing and measures nothing.
package struct PairingSetup: Equatable, Sendable {
  /// The label under which TLS gives the secret that binds a pairing to its connection.
  package static let exporterLabel = "EXPORTER-wherry-pairing-v1"
  /// How many bytes of it.
  package static let exporterLength = 32

  let channel: [UInt8]
  let session: [UInt8]
  let connectorHello: [UInt8]
  let listenerHello: [UInt8]
  let scalar: SecureBytes

  /// - `exporterSecret`: 32 bytes under `exporterLabel`, the same at both ends of one TLS connection and of no other.
  /// - `connectorKey`, `listenerKey`: the two devices' keys as TLS showed them. The exporter does not cover the connector's.
  /// - the nonces (16 bytes each) and the bytes of both HELLO messages as they went over the wire.
  /// - `scalar`: `Ristretto255.randomScalar()`, used once.
  package init(
    exporterSecret: SecureBytes, connectorKey: PeerID, listenerKey: PeerID, connectorNonce: [UInt8],
    listenerNonce: [UInt8], connectorHello: [UInt8], listenerHello: [UInt8],
    scalar: SecureBytes = Ristretto255.randomScalar()
  ) {
    self.init(
      channel: CPace.concatenate(
        Array("wherry-pair-1".utf8), exporterSecret.unprotectedCopy, connectorKey.bytes, listenerKey.bytes),
      session: connectorNonce + listenerNonce, connectorHello: connectorHello, listenerHello: listenerHello,
      scalar: scalar)
  }

  /// With a channel identifier of the caller's making.
  init(
    channel: [UInt8], session: [UInt8], connectorHello: [UInt8], listenerHello: [UInt8], scalar: SecureBytes
  ) {
    self.channel = channel
    self.session = session
    self.connectorHello = connectorHello
    self.listenerHello = listenerHello
    self.scalar = scalar
  }

  /// The connector's associated data: its HELLO and how it knows the secret, so that neither can be changed on the way.
  func connectorAssociated(_ means: PairingMeans) -> [UInt8] {
    CPace.concatenate(Array("C".utf8), connectorHello, [means.rawValue])
  }

  /// The listener's associated data.
  func listenerAssociated(_ means: PairingMeans) -> [UInt8] {
    CPace.concatenate(Array("L".utf8), listenerHello, [means.rawValue])
  }
}

/// How the connector knows the secret.
package enum PairingMeans: UInt8, Sendable {
  /// A person typed the ten digits.
  case digits = 1
  /// The QR code's secret.
  case qrCode = 2
}

/// The content of a PAIR_SHARE message.
package struct PairingShare: Equatable, Sendable {
  /// The public share, 32 bytes when it is right.
  package var share: [UInt8]
  /// The associated data.
  package var associated: [UInt8]
  /// How the connector knows the secret.
  package var means: PairingMeans

  /// From its parts.
  package init(share: [UInt8], associated: [UInt8], means: PairingMeans) {
    self.share = share
    self.associated = associated
    self.means = means
  }
}

/// Why a pairing failed.
package enum PairingFailure: Equatable, Sendable {
  /// Wrong code, or somebody between who guesses. After the shares were exchanged every failure looks like this one.
  case wrongCode
  /// A share that is no point or belongs to other HELLOs. Uses up no attempt.
  case malformedShare
  /// The code's ten minutes are over.
  case codeExpired
  /// The code's attempts are used up, or it has been used.
  case tooManyAttempts
  /// No code is shown.
  case noCode
  /// A message that has no place here.
  case unexpected
  /// The pin could not be kept.
  case notStored
  /// The peer said that it failed.
  case peerFailed
  /// A deadline passed.
  case timedOut
  /// The connection ended.
  case closed
}
