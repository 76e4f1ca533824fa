internal import Glibc

/// A moment on the clock that goes on while the machine sleeps (CLOCK_BOOTTIME) and that nobody can set.
package struct Deadline: Hashable, Comparable, Sendable {
  /// Nanoseconds since the machine started.
  package let nanoseconds: Int64

  /// A moment by its nanoseconds since the machine started.
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// This moment.
  package static var now: Deadline {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Deadline(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// So many milliseconds from now.
  package static func after(milliseconds: Int) -> Deadline { now.advanced(milliseconds: milliseconds) }
  /// So many seconds from now.
  package static func after(seconds: Int) -> Deadline { now.advanced(milliseconds: seconds &* 1_000) }
  /// Does not come.
  package static let never = Deadline(nanoseconds: .max)

  /// So many milliseconds later; `never` when that is too far to count.
  package func advanced(milliseconds: Int) -> Deadline {
    let (span, isTooLong) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, isTooLate) = nanoseconds.addingReportingOverflow(span)
    return isTooLong || isTooLate ? .never : Deadline(nanoseconds: sum)
  }

  /// Whether it is now or was before.
  package var hasPassed: Bool { self <= .now }

  /// Milliseconds from now, rounded up; 0 when passed.
  package var millisecondsLeft: Int {
    if self == .never { return .max }
    let left = nanoseconds &- Deadline.now.nanoseconds
    return left <= 0 ? 0 : Int((left &+ 999_999) / 1_000_000)
  }

  /// Whether it comes before the other.
  package static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }
}
