import Resources
import Store
import Wire

extension ErrorCode {
  /// What the peer is told of an error of this side; the person here is told more.
  init(_ error: any Error) {
    switch error {
    case let code as ErrorCode: self = code
    case let error as WireError: self = error.code
    case let error as StoreError: self.init(error)
    case is CancellationError: self = .refused
    case let error as ResourceError: self.init(error)
    default: self = .internalError
    }
  }

  private init(_ error: ResourceError) {
    switch error {
    case .full: self = .diskFull
    case .denied: self = .readOnly
    case .malformed, .garbled: self = .malformed
    case .damaged: self = .cursor
    case .inUse: self = .storeBusy
    // Trying again would not help: the other side need not wait.
    case .notFound, .manifest, .hung: self = .refused
    case .system: self = .internalError
    }
  }

  private init(_ error: StoreError) {
    switch error {
    case .busy: self = .storeBusy
    case .full: self = .diskFull
    case .corrupt, .newerSchema, .unsealable: self = .storeCorrupt
    case .readOnly, .notPrivate: self = .readOnly
    case .wrongCursor: self = .cursor
    case .malformed: self = .malformed
    case .safetyStop: self = .refused
    case .clonedIdentity: self = .clonedIdentity
    case .noSuchPeer: self = .notPaired
    case .file, .noSuchEntry, .noSuchRecord, .database: self = .internalError
    }
  }
}
