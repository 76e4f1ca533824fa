package import Crypto
internal import Synchronization

/// The one code that a listener shows: three attempts, ten minutes, one success. In memory only: it dies with the process, and
/// so does the count, since a restart makes another code. From any thread.
package final class CodeOffer: Sendable {
  /// How long a code lives, in seconds.
  package static let lifetime = 600
  /// Guesses that a code takes.
  package static let attempts = 3

  /// The digits to be shown.
  package let code: PairingCode
  /// The other secret of the same offer, 16 bytes, for the QR code.
  package let qrSecret: SecureBytes
  /// When it ends.
  package let end: Deadline

  private struct Count {
    var attemptsLeft = CodeOffer.attempts
    var underWay = 0
    var user: PeerID?
  }
  private let count = Mutex(Count())

  /// A new code with these door digits.
  package init(door: UInt8, end: Deadline = .after(seconds: CodeOffer.lifetime)) {
    code = .random(door: door)
    qrSecret = .random(count: 16)
    self.end = end
  }

  /// How an attempt came out; feed it to the machine.
  package enum Attempt: Equatable, Sendable {
    /// Counted; the secret to answer with.
    case granted(SecureBytes)
    /// The time is over.
    case expired
    /// All attempts are used up, or the code has been used.
    case usedUp
  }

  /// Counts an attempt of the device with this key, before anything is answered. Once used, only the very device that used
  /// it may come again: its connection may have been lost before it heard of its success.
  package func takeAttempt(_ means: PairingMeans, by peer: PeerID, now: Deadline = .now) -> Attempt {
    if now >= end { return .expired }
    let isGranted = count.withLock { count in
      guard count.attemptsLeft > 0, count.user == nil || count.user == peer else { return false }
      count.attemptsLeft -= 1
      count.underWay += 1
      return true
    }
    guard isGranted else { return .usedUp }
    switch means {
    case .digits: return .granted(code.secret)
    case .qrCode: return .granted(qrSecret)
    }
  }

  /// A granted attempt has come to its end, whatever that was. Until then nobody can say that the code is dead: it may be
  /// the one that is right.
  package func endAttempt() { count.withLock { $0.underWay -= 1 } }

  /// Whether nobody can get in by it any more: its attempts are used up, or its time is over, and none is under way.
  package func isDead(now: Deadline = .now) -> Bool {
    count.withLock { $0.underWay == 0 && ($0.attemptsLeft == 0 || now >= end) }
  }

  /// Whether an attempt is under way.
  package var isBeingTried: Bool { count.withLock { $0.underWay > 0 } }

  /// Marks it as used by this device. False when another one was faster: then that one's success is the only one.
  package func use(by peer: PeerID) -> Bool {
    count.withLock { count in
      if count.user == nil { count.user = peer }
      return count.user == peer
    }
  }

  /// How many guesses are left; 0 when used.
  package var attemptsLeft: Int { count.withLock { $0.user != nil ? 0 : $0.attemptsLeft } }

  /// Whether a device has used it: it may still be on its last words.
  package var isTaken: Bool { count.withLock { $0.user != nil } }

  /// The event for the machine.
  package static func event(_ attempt: Attempt) -> PairingStateMachine.Event {
    switch attempt {
    case .granted(let secret): .attemptGranted(secret)
    case .expired: .attemptRefused(.codeExpired)
    case .usedUp: .attemptRefused(.tooManyAttempts)
    }
  }
}
