import SQLite
import TestSupport
import Testing

@Suite struct DatabaseMigratorTests {
  @Test func `each step runs once, in order`() throws {
    let database = try Database(path: ":memory:", mode: .create)
    var ran: [String] = []
    var migrator = DatabaseMigrator()
    migrator.register("one") { _ in ran.append("one") }
    try migrator.migrate(database)
    migrator.register("two") { _ in ran.append("two") }
    #expect(try !migrator.hasCompleted(database))
    try migrator.migrate(database)
    try migrator.migrate(database)
    #expect(ran == ["one", "two"])
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
