import Dispatch
import SQLite
import Synchronization
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

  @Test func `when a later step throws, the earlier ones of that time leave no trace either`() throws {
    struct Stop: Error {}
    let database = try Database(path: ":memory:", mode: .create)
    var migrator = DatabaseMigrator()
    migrator.register("one") { try $0.execute("CREATE TABLE t(a)") }
    migrator.register("two") { _ in throw Stop() }
    #expect(throws: Stop.self) { try migrator.migrate(database) }
    #expect(try database.int64("SELECT count(*) FROM sqlite_master") == 0)
  }

  @Test func `programs that open a new database at the same time run each step once`() throws {
    let folder = TemporaryDirectory()
    var migrator = DatabaseMigrator()
    for number in 0..<5 { migrator.register("step \(number)") { try $0.execute("CREATE TABLE t\(number)(a)") } }
    for round in 0..<10 {
      let path = folder.file("\(round).sqlite")
      _ = try Database(path: path, mode: .create).text("PRAGMA journal_mode = WAL")
      let failures = Mutex<[any Error]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { [migrator] _ in
        do {
          let database = try Database(path: path, mode: .readWrite)
          try migrator.migrate(database)
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
      #expect(failures.withLock { $0.map { "\($0)" } } == [])
      #expect(try migrator.hasCompleted(Database(path: path, mode: .readOnly)))
    }
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
