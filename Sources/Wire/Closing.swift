/// How a session's part on one connection came to its end.
package enum Closing: Equatable, Sendable {
  /// Both sides have confirmed everything.
  case done
  /// The connection is gone; the session goes on over a new one.
  case suspended
  /// This side ends the connection with an error for the peer; a retryable one leaves the session open.
  case refused(ErrorCode)
  /// The peer ended it with an error.
  case refusedByPeer(ErrorCode)
  /// The person here said no or stopped it.
  case cancelled
  /// The person there said no or stopped it.
  case cancelledByPeer
}
