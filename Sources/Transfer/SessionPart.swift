import Wire

/// One side's part on one connection: a state machine and the work it asks for. Owned by the thread of the driver.
protocol SessionPart: AnyObject {
  /// How it ended; nil while it goes on.
  var closing: Closing? { get }
  /// What the peer said before it ended the connection.
  var peerError: ErrorReport? { get }
  /// The connection is authenticated.
  func start()
  /// A message of the session came (not HELLO, PING or the like, which the driver answers).
  func receive(_ message: Message)
  /// Takes what the workers have finished.
  func collect()
  /// The person here stops it.
  func cancel()
  /// The connection is lost.
  func lose()
  /// Frames to be sent now, in order.
  func takeFrames() -> [[UInt8]]
  /// Whether a person is being asked: silence is then allowed for ten minutes.
  var isWaitingForPerson: Bool { get }
}
