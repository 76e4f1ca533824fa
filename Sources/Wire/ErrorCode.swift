/// Why a connection is ended: the closed list of protocol.md 8. The raw value is the wire's number.
package enum ErrorCode: UInt16, CaseIterable, Error, Sendable, Hashable {
  /// The versions of the two programs do not overlap.
  case version = 1
  /// The pairing code is not the one that is shown.
  case authentication = 2
  /// The code is older than ten minutes.
  case codeExpired = 3
  /// The code was tried three times.
  case tooManyAttempts = 4
  /// The device is not known and no code is shown.
  case notPaired = 5
  /// The device was forgotten.
  case revoked = 6
  /// Two machines use one identity.
  case clonedIdentity = 7
  /// Both ends have the same role.
  case roleConflict = 8
  /// A frame is shorter or longer than it may be.
  case frameSize = 10
  /// Bytes are not what they must be.
  case malformed = 11
  /// An even message or field that this version does not know.
  case unknownCritical = 12
  /// A message does not belong here.
  case unexpected = 13
  /// More than the limits allow.
  case limit = 14
  /// The other side took too long.
  case timeout = 15
  /// Another connection of the same peer is alive.
  case busy = 16
  /// The person said no.
  case refused = 20
  /// Records of a kind that was not granted.
  case typeNotGranted = 21
  /// A batch does not start at the receiver's cursor.
  case cursor = 22
  /// The transfer is unknown or its life is over.
  case gone = 23
  /// Counts or digests differ at the end.
  case digest = 24
  /// The disk became full; nothing is half written.
  case diskFull = 30
  /// There is not enough room to begin.
  case diskSpace = 31
  /// Another program is writing the store.
  case storeBusy = 32
  /// The store is damaged.
  case storeCorrupt = 33
  /// The store cannot be written.
  case readOnly = 34
  /// A fault of the program itself.
  case internalError = 40

  /// Whether the session goes on over a new connection.
  package var isRetryable: Bool {
    switch self {
    case .busy, .cursor, .digest, .diskFull, .storeBusy, .internalError: true
    case .version, .authentication, .codeExpired, .tooManyAttempts, .notPaired, .revoked, .clonedIdentity,
      .roleConflict,
      .frameSize, .malformed, .unknownCritical, .unexpected, .limit, .timeout, .refused, .typeNotGranted, .gone,
      .diskSpace, .storeCorrupt, .readOnly:
      false
    }
  }
}
