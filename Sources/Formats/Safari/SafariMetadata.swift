import Glibc

/// What is said at the front of each JSON file of an export.
package struct SafariMetadata: Sendable {
  /// The program that writes.
  package var browserName: String
  /// Its version.
  package var browserVersion: String
  /// Microseconds since 1970.
  package var exportTime: Int64

  /// With everything it holds.
  package init(browserName: String, browserVersion: String, exportTime: Int64) {
    self.browserName = browserName
    self.browserVersion = browserVersion
    self.exportTime = exportTime
  }

  /// Of this program, at this moment.
  package static func now() -> SafariMetadata {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let microseconds = Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    return SafariMetadata(browserName: "Wherry", browserVersion: "0.1.0", exportTime: microseconds)
  }
}
