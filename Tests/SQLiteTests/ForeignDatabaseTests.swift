import SQLite
import TestSupport
import Testing

@Suite struct ForeignDatabaseTests {
  let folder = TemporaryDirectory()

  private func make(_ sql: String) throws -> String {
    let path = folder.file("foreign.sqlite")
    try Database(path: path, mode: .create).execute(sql)
    return path
  }

  @Test func `it can be read and not written`() throws {
    let path = try make("CREATE TABLE t(a); INSERT INTO t VALUES (7)")
    let database = try Database.foreign(path: path)
    #expect(try database.int64("SELECT a FROM t") == 7)
    #expect(try database.text("PRAGMA quick_check") == "ok")
    #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM t") }
    #expect(throws: DatabaseError.self) { try database.execute("ATTACH ':memory:' AS x") }
    #expect(throws: DatabaseError.self) { try database.execute("PRAGMA writable_schema = ON") }
    #expect(throws: DatabaseError.self) { try database.execute("SELECT load_extension('x')") }
  }

  @Test func `only the listed tables can be read`() throws {
    let path = try make("CREATE TABLE t(a); CREATE TABLE secret(a)")
    let database = try Database.foreign(path: path, tables: ["t"])
    #expect(try database.int64("WITH x AS (SELECT a FROM t) SELECT count(*) FROM x JOIN t USING (a)") == 0)
    let error = #expect(throws: DatabaseError.self) { _ = try database.prepare("SELECT a FROM secret") }
    #expect(error?.code == .notAuthorized)
  }

  @Test(arguments: ["CREATE VIEW t AS SELECT 1 AS a", "CREATE VIRTUAL TABLE t USING fts5(a)"])
  func `a view or virtual table in place of a table is refused`(sql: String) throws {
    let path = try make(sql)
    #expect(throws: DatabaseError.self) { try Database.foreign(path: path, tables: ["t"]) }
  }
}
