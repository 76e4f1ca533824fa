package import BrowsingData

/// Everything that two peers say to each other. Documentation/Protocol.md has the bytes.
package enum Message: Hashable, Sendable {
  /// Asks for a sign of life, 8 bytes.
  case ping([UInt8])
  /// The first message of each side.
  case hello(Hello)
  /// Answers PING with its bytes.
  case pong([UInt8])
  /// One half of the key exchange.
  case pairShare(PairShare)
  /// The tag, 64 bytes.
  case pairConfirm([UInt8])
  /// Who a device is, once it is authenticated.
  case info(Info)
  /// The other side is pinned.
  case paired(Paired)
  /// Why the connection ends.
  case error(ErrorReport)
  /// The reason; nil when everything is done.
  case close(ErrorCode?)
  /// What there is to be had.
  case offer(Offer)
  /// What the importer wants of it.
  case choose(Choice)
  /// What the exporter grants of that.
  case accept(Grant)
  /// Where the importer stands.
  case resume(Resume)
  /// A run of a log.
  case batch(Batch)
  /// A batch is committed.
  case acknowledge(Acknowledgement)
  /// Where each granted log ends.
  case end([ChangeLog: LogEnd])
  /// Everything is here.
  case done(Summary)
  /// The transfer ends for both.
  case cancel(CancelReason)
  /// What a store has and knows.
  case syncOpen(SyncOpening)
  /// BATCH in role sync.
  case syncBatch(SyncRows)
  /// All that there was has been sent.
  case caughtUp(SyncEnd)
  /// The two are strangers again.
  case unpair
  /// A message of a newer version that may be ignored: its odd number.
  case unknown(UInt16)

  /// Its number on the wire.
  package var number: UInt16 {
    switch self {
    case .ping: 1
    case .hello: 2
    case .pong: 3
    case .pairShare: 4
    case .pairConfirm: 6
    case .info: 7
    case .paired: 8
    case .error: 10
    case .close: 12
    case .offer: 16
    case .choose: 18
    case .accept: 20
    case .resume: 22
    case .batch, .syncBatch: 24
    case .acknowledge: 26
    case .end: 28
    case .done: 30
    case .cancel: 32
    case .syncOpen: 34
    case .caughtUp: 36
    case .unpair: 40
    case .unknown(let number): number
    }
  }
}
