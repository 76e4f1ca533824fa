import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct DatabaseTests {
  let folder = TemporaryDirectory()

  @Test func `a missing database is made only when that was asked`() throws {
    let path = folder.file("a.sqlite")
    #expect(throws: DatabaseError.self) { try Database(path: path, mode: .readWrite) }
    _ = try Database(path: path, mode: .create).execute("CREATE TABLE t(a)")
    #expect(try Database(path: path, mode: .readWrite).int64("SELECT count(*) FROM t") == 0)
  }

  @Test func `values come back as they were bound`() throws {
    let database = try Database(path: ":memory:", mode: .create)
    try database.execute("CREATE TABLE t(a, b, c, d, e)")
    let insert = try database.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)")
    try insert.bind(1, Int64.min)
    try insert.bind(2, "a\u{0}ü")
    try insert.bind(3, [0, 255])
    try insert.bind(4, "")
    try insert.bind(5, [UInt8]())
    try insert.run()
    try insert.bind(1, nil as Int64?)
    try insert.bind(2, nil as String?)
    try insert.bind(3, nil as [UInt8]?)
    try insert.run()
    let select = try database.prepare("SELECT * FROM t ORDER BY rowid")
    #expect(try select.step())
    #expect(select.int64(0) == .min && select.text(1) == "a\u{0}ü" && select.bytes(2) == [0, 255])
    #expect(select.text(3) == "" && select.bytes(4) == [] && select.kind(3) == .text && select.kind(4) == .blob)
    #expect(select.withText(1) { $0.map { Array($0) } } == Array("a\u{0}ü".utf8))
    #expect(try select.step())
    #expect((0..<3).allSatisfy { select.isNull($0) } && select.optionalInt64(0) == nil && select.text(1) == nil)
    #expect(try select.step() == false)
  }

  @Test func `a transaction that throws leaves nothing, an inner one leaves the outer one`() throws {
    struct Stop: Error {}
    let database = try Database(path: ":memory:", mode: .create)
    try database.execute("CREATE TABLE t(a)")
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.execute("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    try database.transaction {
      try database.execute("INSERT INTO t VALUES (2)")
      #expect(throws: Stop.self) {
        try database.transaction {
          try database.execute("INSERT INTO t VALUES (3)")
          throw Stop()
        }
      }
    }
    #expect(try database.int64("SELECT group_concat(a) FROM t") == 2)
    #expect(!database.isInTransaction)
  }

  @Test func `another connection's lock is busy`() throws {
    let path = folder.file("b.sqlite")
    let one = try Database(path: path, mode: .create)
    let two = try Database(path: path, mode: .create)
    two.setBusyTimeout(milliseconds: 1)
    try one.execute("CREATE TABLE t(a); BEGIN IMMEDIATE")
    let error = #expect(throws: DatabaseError.self) { try two.execute("BEGIN IMMEDIATE") }
    #expect(error?.code == .busy)
  }

  @Test func `a file that is no database and a damaged one are told apart from each other`() throws {
    let path = folder.file("c.sqlite")
    try Data("this is no database, however long it is made to look like one".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: DatabaseError.self) {
      try Database(path: path, mode: .readWrite).execute("SELECT * FROM sqlite_master")
    }
    #expect(error?.code == .notADatabase)
  }

  @Test func `an error names the statement and no bound value`() throws {
    let database = try Database(path: ":memory:", mode: .create)
    try database.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES ('hunter2')")
    let insert = try database.prepare("INSERT INTO t VALUES (?1)")
    try insert.bind(1, "hunter2")
    let error = #expect(throws: DatabaseError.self) { try insert.run() }
    #expect(error?.code == .constraint)
    #expect(error?.sql == "INSERT INTO t VALUES (?1)")
    #expect(error.map { "\($0) \($0.message)".contains("hunter2") } == false)
  }
}
