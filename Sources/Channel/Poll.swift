internal import CLinux
internal import Glibc

/// poll(2) against a `Deadline`.
enum Poll {
  /// What to wait for, and afterwards what happened.
  struct Interest {
    var descriptor: Int32
    var reading = false
    var writing = false
    var isReady = false
    var canWrite = false
  }

  /// poll counts on a clock that stands still while the machine sleeps: never wait longer in one go.
  private static let longestMilliseconds = 5_000

  /// Waits until one of them is ready or the deadline has passed; whether one is ready.
  static func wait(_ interests: inout [Interest], until deadline: Deadline) throws(ChannelError) -> Bool {
    var entries = interests.map { interest in
      wherry_interest(
        descriptor: interest.descriptor,
        wanted: Int16((interest.reading ? POLLIN : 0) | (interest.writing ? POLLOUT : 0)), happened: 0)
    }
    while true {
      let left = deadline.millisecondsLeft
      let count = wherry_poll(&entries, UInt(entries.count), left == .max ? -1 : Int32(min(left, longestMilliseconds)))
      if count > 0 { break }
      if count < 0 && errno != EINTR { throw .system("poll", errno: errno) }
      if left == 0 { return false }
    }
    for index in interests.indices {
      let happened = Int32(entries[index].happened)
      let failed = happened & (POLLERR | POLLHUP | POLLNVAL) != 0
      interests[index].isReady = happened & POLLIN != 0 || failed
      interests[index].canWrite = happened & POLLOUT != 0 || failed
    }
    return true
  }
}
