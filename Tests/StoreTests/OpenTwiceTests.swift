import BrowsingData
import Foundation
import SQLite
import Testing

@testable import Store

@Suite struct OpenTwiceTests {
  @Test func `opening a store again keeps the locks of those who have it open`() throws {
    let fixture = try RecordFixture()
    try fixture.store.database.execute("BEGIN IMMEDIATE")
    _ = try? RecordStore.open(home: fixture.home)
    // fcntl's locks belong to the process: another one must still see them.
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    other.arguments = [
      "python3", "-c",
      "import sqlite3, sys\nd = sqlite3.connect(sys.argv[1], timeout=0)\nd.execute('BEGIN EXCLUSIVE')",
      fixture.home.storePath,
    ]
    other.standardError = FileHandle.nullDevice
    try other.run()
    other.waitUntilExit()
    #expect(other.terminationStatus != 0)
    try fixture.store.database.execute("ROLLBACK")
  }
}
