import Foundation
import SQLite

/// The History of a fresh Chromium profile, filled by a test.
final class ChromiumHistoryFile {
  let fixture: Fixture
  let database: Database
  var path: String { fixture.file("Default") }

  private let page: Statement
  private let visit: Statement

  init() throws {
    fixture = try Fixture("chromium-profile-new")
    database = try Database(path: fixture.file("Default/History"), mode: .readWrite)
    try database.execute("DELETE FROM visits; DELETE FROM urls")
    page = try database.prepare(
      "INSERT INTO urls(id, url, title, last_visit_time) VALUES (?, ?, 'page ' || ?1, 1)")
    visit = try database.prepare(
      "INSERT INTO visits(id, url, visit_time, transition, from_visit) VALUES (?, ?, ? + 11644473600000000, ?, ?)")
  }

  func page(_ id: Int64, _ url: String) throws {
    try page.bind(1, id)
    try page.bind(2, url)
    try page.run()
  }

  /// `bits`: an unsigned transition.
  func visit(_ id: Int64, page: Int64, time: Int64, bits: Int64 = 0x3000_0000, from: Int64 = 0) throws {
    let transition = Int64(Int32(truncatingIfNeeded: bits))
    for (index, value) in [id, page, time, transition, from].enumerated() {
      try visit.bind(Int32(index + 1), value)
    }
    try visit.run()
  }
}
