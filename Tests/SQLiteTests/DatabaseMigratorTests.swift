import SQLite
import TestSupport
import Testing

@Suite struct DatabaseMigratorTests {
  @Test func `each step runs once, in order`() throws {
    let database = try Database(path: ":memory:", mode: .create)
    var migrator = DatabaseMigrator()
    migrator.register("one") { try $0.execute("CREATE TABLE ran(name); INSERT INTO ran VALUES ('one')") }
    try migrator.migrate(database)
    migrator.register("two") { try $0.execute("INSERT INTO ran VALUES ('two')") }
    #expect(try !migrator.hasCompleted(database))
    try migrator.migrate(database)
    try migrator.migrate(database)
    let ran = try database.prepare("SELECT group_concat(name) FROM ran")
    #expect(try ran.step())
    #expect(ran.text(0) == "one,two")
    #expect(try migrator.hasCompleted(database))
  }

  @Test func `a step that throws leaves no trace`() throws {
    struct Stop: Error {}
    let database = try Database(path: ":memory:", mode: .create)
    var migrator = DatabaseMigrator()
    migrator.register("one") {
      try $0.execute("CREATE TABLE t(a)")
      throw Stop()
    }
    #expect(throws: Stop.self) { try migrator.migrate(database) }
    #expect(try database.int64("SELECT count(*) FROM sqlite_master") == 0)
  }

  @Test func `a database of a newer program is known as such`() throws {
    let database = try Database(path: ":memory:", mode: .create)
    var older = DatabaseMigrator()
    older.register("one") { _ in }
    var newer = older
    newer.register("two") { _ in }
    try newer.migrate(database)
    #expect(try older.hasBeenSuperseded(database))
    #expect(try !newer.hasBeenSuperseded(database))
  }
}
