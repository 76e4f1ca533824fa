package import BrowsingData

/// What has been sent and not yet acknowledged in one direction: the back-pressure of a session.
package struct FlowControl: Equatable, Sendable {
  /// One batch on its way.
  package struct Flight: Equatable, Sendable {
    /// The change log it is a run of.
    package var log: ChangeLog
    /// The cursor that holds once it is committed.
    package var last: Int64
    /// Its size on the wire.
    package var bytes: Int
    /// With these three.
    package init(log: ChangeLog, last: Int64, bytes: Int) {
      self.log = log
      self.last = last
      self.bytes = bytes
    }
  }

  /// Batches on their way, oldest first.
  package private(set) var flights: [Flight] = []
  /// Their bytes together.
  package private(set) var bytes = 0

  /// Nothing on its way.
  package init() {}

  /// Whether a further batch may leave: fewer than 8 batches and less than 2 MiB are unacknowledged (protocol.md 3).
  package var hasRoom: Bool { flights.count < FlowControl.maximumBatches && bytes < FlowControl.maximumBytes }
  /// Whether everything is acknowledged.
  package var isEmpty: Bool { flights.isEmpty }

  /// At most so many batches unacknowledged.
  package static let maximumBatches = Limits.windowBatches
  /// At most so many bytes unacknowledged.
  package static let maximumBytes = Limits.windowBytes

  /// A batch leaves.
  package mutating func sent(_ flight: Flight) {
    flights.append(flight)
    bytes += flight.bytes
  }

  /// The receiver has committed the oldest batch. False when it is not the oldest one: the peer misbehaves.
  package mutating func acknowledged(log: ChangeLog, last: Int64) -> Bool {
    guard let oldest = flights.first, oldest.log == log, oldest.last == last else { return false }
    flights.removeFirst()
    bytes -= oldest.bytes
    return true
  }
}
