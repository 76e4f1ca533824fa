import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct DatabaseSnapshotTests {
  let folder = TemporaryDirectory()

  private func target() throws -> String {
    let path = folder.file("copy")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `a copy holds what the open original has committed and nothing else`(mode: String) throws {
    let path = folder.file("live.sqlite")
    let live = try Database(path: path, mode: .create)
    try live.execute("PRAGMA journal_mode = \(mode)")
    try live.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1); BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
    let copy = try DatabaseSnapshot.copy(of: path, into: try target())
    #expect(try Database.foreign(path: copy).int64("SELECT sum(a) FROM t") == 1)
    #expect(!FileManager.default.fileExists(atPath: copy + "-wal"))
    try live.execute("COMMIT")
    #expect(try live.int64("SELECT sum(a) FROM t") == 3)
  }

  @Test func `an exclusively locked original can be copied`() throws {
    let path = folder.file("locked.sqlite")
    let live = try Database(path: path, mode: .create)
    try live.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t(a)")
    let copy = try DatabaseSnapshot.copy(of: path, into: try target())
    #expect(try Database.foreign(path: copy).int64("SELECT count(*) FROM t") == 0)
  }

  @Test func `a damaged original is said to be damaged and leaves no copy`() throws {
    let path = folder.file("bad.sqlite")
    let live = try Database(path: path, mode: .create)
    try live.execute(
      "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<9999)"
        + " INSERT INTO t SELECT randomblob(50) FROM n")
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: 8192)
    try file.write(contentsOf: Data(repeating: 0xAB, count: 4096))
    try file.close()
    let error = #expect(throws: DatabaseError.self) { try DatabaseSnapshot.copy(of: path, into: try target()) }
    #expect(error?.code == .corrupt)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("copy")).isEmpty)
  }

  @Test func `a missing original is an error`() throws {
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseSnapshot.copy(of: folder.file("none"), into: try target())
    }
    #expect(error?.code == .cantOpen)
  }
}
