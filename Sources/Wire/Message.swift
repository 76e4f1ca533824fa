package import BrowsingData

/// Everything that two peers say to each other. Documentation/Protocol.md has the bytes.
package enum Message: Hashable, Sendable {
  case ping([UInt8])
  case hello(Hello)
  case pong([UInt8])
  case pairShare(PairShare)
  /// The tag, 64 bytes.
  case pairConfirm([UInt8])
  case info(Info)
  case paired(Paired)
  case error(ErrorReport)
  /// The reason; nil when everything is done.
  case close(ErrorCode?)
  case offer(Offer)
  case choose(Choice)
  case accept(Grant)
  case resume(Resume)
  case batch(Batch)
  case acknowledge(Acknowledgement)
  /// Where each granted log ends.
  case end([ChangeLog: LogEnd])
  case done(Summary)
  case cancel(CancelReason)
  case syncOpen(SyncOpening)
  /// BATCH in role sync.
  case syncBatch(SyncRows)
  case caughtUp(SyncEnd)
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
