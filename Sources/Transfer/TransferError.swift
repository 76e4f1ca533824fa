package import Channel
import BrowsingData
import Resources
import Store
package import Wire

/// Why a transfer ended: a code of a closed list, a sentence that names what to do, and whether trying again can help.
/// Equal when the codes are.
package struct TransferError: Error, Equatable, Sendable {
  /// What went wrong, in the words of the exit codes (cli.md).
  package enum Code: Equatable, Sendable, CaseIterable {
    /// Any other failure; the peer does not keep to the protocol; a read-only home.
    case failed
    /// A person said no.
    case declined
    /// Nobody listens there, the source is gone, or the transfer's life is over.
    case notFound
    /// The store is locked by another program.
    case inUse
    /// Wrong, expired or used code.
    case wrongCode
    /// The peer is not paired, was forgotten, or its identity changed.
    case untrusted
    /// No common version, both ends in one role, no Wherry on that port, a store of a newer version.
    case incompatible
    /// The connection is lost; it can be resumed.
    case interrupted
    /// The disk is full; it can be resumed.
    case noSpace
    /// The person here stopped it; it can be resumed.
    case stopped
  }

  /// What went wrong.
  package var code: Code
  /// One sentence; no secret, address or title in it.
  package var message: String
  /// What to do now.
  package var hint: String { advice.words(in: undertaking, code) }
  /// What to do now, in no words yet.
  var advice: Advice
  /// What has failed.
  private(set) var undertaking = Undertaking.transfer
  /// Whether the other side has forgotten the transfer, so that it ends here, too.
  var isForgotten = false

  /// With these three.
  package init(_ code: Code, _ message: String, hint: String = "") {
    self.init(code, message, .words(hint))
  }

  init(_ code: Code, _ message: String, _ advice: Advice) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  /// The same, of another undertaking than a transfer.
  func of(_ undertaking: Undertaking) -> TransferError {
    var error = self
    error.undertaking = undertaking
    return error
  }

  /// Whether `--resume` can go on from here.
  package var isResumable: Bool {
    switch code {
    case .interrupted, .noSpace, .stopped: true
    case .failed, .declined, .notFound, .inUse, .wrongCode, .untrusted, .incompatible: false
    }
  }

  /// Equal when the codes are.
  package static func == (left: TransferError, right: TransferError) -> Bool { left.code == right.code }
}

extension TransferError {
  /// What an ERROR of the peer means to the person here; `theirs` tells whether the peer said it.
  package init(_ code: ErrorCode, theirs: Bool) {
    let whose = theirs ? "the other side" : "this side"
    switch code {
    case .version:
      self.init(.incompatible, "The two programs speak no common version.", hint: "Update Wherry on both machines.")
    case .authentication:
      self.init(
        .wrongCode, "The code was mistyped, or someone is guessing.",
        hint: "Look at the code on the other screen and type it again.")
    case .codeExpired:
      self.init(.wrongCode, "The code is older than ten minutes.", hint: "Show a new one where this one was shown.")
    case .tooManyAttempts:
      self.init(
        .wrongCode, "The code was tried three times and is used up.", hint: "Start anew there, with a new code.")
    case .notPaired:
      self.init(
        .untrusted, "The other machine shows no code and does not know this one.",
        .meetAnew("Start 'wherry send' or 'wherry receive' without a code there first."))
    case .revoked:
      self.init(.untrusted, "The other machine has forgotten this one.", hint: "Pair the two again.")
    case .clonedIdentity:
      self.init(
        .untrusted, "Two machines use one identity: one is a copy of the other.",
        hint: "On the copy, run wherry pair --new-identity, and pair it with the others again.")
    case .roleConflict:
      self.init(.incompatible, "Both machines have the same role.", .takeRoles)
    case .frameSize, .malformed, .unknownCritical, .unexpected, .limit, .typeNotGranted:
      self.init(
        .failed, "The connection was ended: \(whose) found a breach of the protocol (\(code)).",
        hint: "Update Wherry on both machines, and check that it is the right one; nothing half-sent was kept.")
    case .timeout:
      self.init(.interrupted, "The other side did not answer in time.", .goOn)
    case .busy:
      self.init(.interrupted, "The other side is busy with another connection.", .goOn)
    case .refused:
      self.init(
        .declined, theirs ? "The other person said no." : "Nothing was sent: you said no.",
        hint: "Start anew if that was a mistake; without a person there, --yes agrees ahead.")
    case .cursor, .internalError:
      self.init(.interrupted, "The connection was ended by an error on \(whose).", .goOn)
    case .gone:
      self.init(.notFound, "The other side does not know this transfer any more.", hint: "Start a new one.")
      isForgotten = theirs
    case .digest:
      self.init(
        .failed, "What arrived differs from what was sent, twice.", hint: "Run 'wherry doctor' on both machines.")
    case .diskSpace:
      self.init(noRoom: "There is too little room \(theirs ? "there" : "here") for what was offered.", theirs: theirs)
    case .diskFull:
      self.init(noRoom: "The disk\(theirs ? " of the other machine" : "") is full.", theirs: theirs)
    case .storeBusy:
      self.init(.inUse, "The store is in use by another program.", .goOnAfter("Close it"))
    case .storeCorrupt:
      self.init(.failed, "The store of \(whose) is damaged.", hint: "Run 'wherry doctor' there.")
    case .readOnly:
      self.init(.failed, "The home of \(whose) is read-only.", hint: "Choose another with --home.")
    }
  }
}

extension TransferError {
  /// A disk must be given room before the transfer can go on.
  private init(noRoom message: String, theirs: Bool) {
    self.init(.noSpace, message, .goOnAfter("Make room\(theirs ? " there" : "")"))
  }

  /// What an error of the store, or of anything else here, means to the person.
  package init(cause error: any Error) {
    switch error {
    case let error as TransferError: self = error
    case let error as ChannelError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as ResourceError: self.init(error)
    default: self.init(.failed, "Something unforeseen failed here (\(type(of: error))).", hint: "Run 'wherry doctor'.")
    }
  }

  /// The person here stopped the program.
  package static let stopped = TransferError(.stopped, "Stopped.", .goOn)

  /// Why a connection could not be opened.
  init(_ failure: OpeningFailure) {
    switch failure {
    case .here(let code): self.init(code, theirs: false)
    case .peer(let code): self.init(code, theirs: true)
    case .nowhere(let error): self = error
    case .lost:
      self.init(.interrupted, "The other side ended the connection.", .newCode)
    case .channel(let error): self.init(error)
    }
  }

  /// What an error of an app's files means to the person.
  init(_ error: ResourceError) {
    switch error {
    case .notFound: self.init(.notFound, "There are no such files.")
    case .inUse:
      self.init(.inUse, "The files are in use by another program.", .goOnAfter("Close it"))
    case .full: self.init(.diskFull, theirs: false)
    case .denied: self.init(.failed, "The files may not be read, or not be written there.")
    case .system(let doing, let reason): self.init(.failed, "The system refused \(doing): \(reason).")
    case .manifest(let reason): self.init(.failed, "The manifest cannot be used: \(reason).")
    case .malformed: self.init(.failed, "The files came in pieces that do not fit.")
    case .damaged: self.init(.interrupted, "A file arrived damaged.", .goOn)
    case .garbled: self.init(.failed, "A file arrived otherwise than it was sent, again and again.")
    case .hung: self.init(.failed, "The app stopped giving its files.")
    }
  }

  /// What an error of the store means to the person.
  init(_ error: StoreError) {
    switch error {
    case .database(let inner):
      self.init(.failed, "The store refused: \(inner).", hint: "Run 'wherry doctor'.")
    case .newerSchema:
      self.init(.incompatible, "A newer Wherry has changed the store of this home.", hint: "Update Wherry here.")
    case .safetyStop(let type, let affected, let existing):
      self.init(
        .declined, "\(affected) of \(existing) \(type.name) would change or go: stopped for safety.",
        hint: "--force goes on.")
    case .file(let path, let reason):
      self.init(.failed, "\(path): \(reason).", hint: "Run 'wherry doctor'.")
    case .notPrivate(let path):
      self.init(.failed, "Others than you may read \(path).", hint: "chmod -R go= on it.")
    case .malformed(let log):
      self.init(
        .failed, "A batch of \(log) does not hold what it must.", hint: "Update Wherry on the other machine.")
    case .busy, .full, .corrupt, .readOnly, .unsealable, .wrongCursor, .noSuchEntry, .noSuchRecord, .noSuchPeer,
      .clonedIdentity:
      self.init(ErrorCode(error), theirs: false)
    }
  }

  /// What a fault below the messages means to the person.
  package init(_ error: ChannelError) {
    switch error {
    case .unreachable:
      self.init(
        .notFound, "Nobody listens there.", hint: "Check the address, and that Wherry runs on the other machine.")
    case .cannotListen(let reason):
      self.init(.failed, "Cannot listen on that address: \(reason).", hint: "Choose another with --listen.")
    case .timedOut:
      self.init(
        .interrupted, "The other side did not answer in time.",
        hint: "Check the address and the port: what listens there may be no Wherry. Then try again.")
    case .closedByPeer:
      self.init(.interrupted, "The other side ended the connection.", hint: "Try again.")
    case .cancelled:
      self = .stopped
    case .wrongPairingCode:
      self.init(.authentication, theirs: false)
    case .identityChanged:
      self.init(
        .untrusted, "Another device answers there than the one that is expected.",
        hint: "Check the address; never go on if you did not expect this.")
    case .refusedByPeer:
      self.init(.untrusted, "The other device does not know this one.", .meetAnew("Start anew with a code."))
    case .incompatible, .tls:
      self.init(.incompatible, "What answers there is no Wherry.", hint: "Check the address and the port.")
    case .identityFile(let fault):
      self.init(.failed, "This device's key file cannot be used: \(fault).", hint: "Run 'wherry doctor'.")
    case .system(let call, let number):
      self.init(.failed, "The system refused \(call) (error \(number)).", hint: "Run 'wherry doctor'.")
    }
  }
}
