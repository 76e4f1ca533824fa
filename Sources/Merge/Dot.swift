package import BrowsingData

/// The name of one edit: the store that made it and the number that store gave it.
package struct Dot: Hashable, Comparable, Sendable {
  /// The incarnation of the store that made the edit.
  package var replica: RecordID
  /// That store's counter; only grows.
  package var counter: Int64

  /// From its two parts.
  package init(replica: RecordID, counter: Int64) {
    self.replica = replica
    self.counter = counter
  }

  /// By replica, then by counter: an order that every device agrees on.
  package static func < (left: Dot, right: Dot) -> Bool {
    left.replica != right.replica ? left.replica < right.replica : left.counter < right.counter
  }
}

/// When a field got its value. Of two values the one with the greater stamp is shown.
package struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds: the wall clock's, but always above every stamp seen on the record before.
  package var time: Int64
  /// The edit that set the value.
  package var dot: Dot

  /// From its two parts.
  package init(time: Int64, dot: Dot) {
    self.time = time
    self.dot = dot
  }

  /// By time, then by dot.
  package static func < (left: Stamp, right: Stamp) -> Bool {
    left.time != right.time ? left.time < right.time : left.dot < right.dot
  }
}
