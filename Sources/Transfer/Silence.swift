import Channel
import Wire

/// Keepalive of one connection: PING after 30 s of silence, dead after 90; 5 s when a newer connection of the same peer
/// waits; ten minutes for a person (protocol.md 3).
struct Silence {
  /// What a look at the clock says.
  enum Verdict: Equatable {
    case wait
    case ping
    case personIsLate
    case dead
  }

  static let pingBytes: [UInt8] = Array("wherry!?".utf8)

  private var heard: Deadline
  private var hasPinged = false
  private var proof: Deadline?
  private var person: Deadline?

  /// From when something was heard last.
  init(heard: Deadline = .now) { self.heard = heard }

  /// Whether the older connection must prove that it lives.
  var isProving: Bool { proof != nil }

  /// When the clock must be looked at again.
  var next: Deadline {
    var next = heard.advanced(by: hasPinged ? Limits.deadAfter : Limits.pingAfter)
    for limit in [proof, person].compactMap({ $0 }) { next = min(next, limit) }
    return next
  }

  /// Looks at the clock.
  mutating func verdict() -> Verdict {
    if let proof, proof.hasPassed { return .dead }
    if let person, person.hasPassed { return .personIsLate }
    if heard.advanced(by: Limits.deadAfter).hasPassed { return .dead }
    if !hasPinged, heard.advanced(by: Limits.pingAfter).hasPassed {
      hasPinged = true
      return .ping
    }
    return .wait
  }

  /// Whether a person is being asked now.
  mutating func watch(person isWaiting: Bool) {
    if !isWaiting { person = nil } else if person == nil { person = .after(Limits.person) }
  }

  /// Something came.
  mutating func broken() {
    heard = .now
    hasPinged = false
  }

  /// From now on it must prove within five seconds that it lives.
  mutating func prove() { proof = .after(Limits.busyProof) }

  /// It has.
  mutating func proved() { proof = nil }
}
