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
}
