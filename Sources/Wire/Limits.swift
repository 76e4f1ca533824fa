/// Every limit and timer of the protocol, in one place.
package enum Limits {
  /// Bytes of a frame's body (type, flags, payload) before the peer is authenticated.
  package static let frameBeforeAuthentication = 4_096
  /// Bytes of a frame's body after the peer is authenticated.
  package static let frame = 1_048_576
  /// Bytes of type and flags, the smallest body of a frame.
  package static let frameHeader = 3
  /// Bytes of a payload once decompressed.
  package static let payload = 4_194_304
  /// Bytes of a batch's payload before compression: an incompressible one still fits into a frame.
  package static let batchPayload = frame - frameHeader
  /// Records of a batch.
  package static let batchRecords = 10_000
  /// Bytes of an encoded record.
  package static let record = 524_288
  /// Bytes of any text in a record.
  package static let text = 131_072
  /// Bytes of a piece of a file.
  package static let chunk = 131_072
  /// Bytes of the path of a resource, and of where a link points.
  package static let path = 4_096
  /// Maps within maps.
  package static let nesting = 4
  /// Fields of one map.
  package static let fields = 128
  /// Items of a list in a message, names of profiles included.
  package static let listItems = 256
  /// Bytes of a name in a message: device, software, profile.
  package static let name = 256
  /// Bytes of the text of an ERROR.
  package static let errorText = 200
  /// Bytes of the associated data of a PAIR_SHARE.
  package static let associatedData = 1_024
  /// Batches sent and not acknowledged, in each direction.
  package static let windowBatches = 8
  /// Bytes of batches sent and not acknowledged, in each direction.
  package static let windowBytes = 2_097_152

  /// TLS handshake.
  package static let handshake = Duration.seconds(10)
  /// HELLO, from the end of the handshake.
  package static let hello = Duration.seconds(5)
  /// One frame, from its first to its last byte.
  package static let oneFrame = Duration.seconds(30)
  /// Bytes a second below which a frame that has begun is given up.
  package static let leastRate = 1_024
  /// Waiting for a person (CHOOSE, ACCEPT).
  package static let person = Duration.seconds(600)
  /// Silence after which PING is sent.
  package static let pingAfter = Duration.seconds(30)
  /// Silence after which the link counts as dead.
  package static let deadAfter = Duration.seconds(90)
  /// Silence after PING before an older session of the same peer is given up for a newer one.
  package static let busyProof = Duration.seconds(5)
  /// Connections that are not authenticated, in all and from one address.
  package static let strangers = (inAll: 8, perAddress: 2)
  /// First and longest wait before a connection is tried again, doubled from one to the other.
  package static let reconnect = (first: Duration.seconds(1), longest: Duration.seconds(60))
  /// A session's life after the last contact.
  package static let sessionLife = Duration.seconds(7 * 86_400)
  /// Clocks that differ by more are worth a warning, and a loud one.
  package static let clockSkew = (warning: Duration.seconds(300), loud: Duration.seconds(86_400))
}
