import SQLite
import TestSupport
import Testing

@Suite struct BackgroundStatementTests {
  private final class Numbers: RowTable {
    var values: Range<Int64> = 0..<0
    var rowCount: Int { values.count }
    func value(_ column: Int, of row: Int, to result: ColumnResult) { result.set(values.lowerBound + Int64(row)) }
  }

  private let database: Database
  private let numbers = Numbers()
  private let insert: Statement

  init() throws {
    database = try Database(path: ":memory:", mode: .create)
    try database.register(numbers, as: "numbers", columns: ["n"])
    try database.execute("CREATE TABLE t(n INTEGER UNIQUE); BEGIN")
    insert = try database.prepare("INSERT OR FAIL INTO t SELECT n FROM numbers")
  }

  @Test func `what is started one after another is all there in the end`() throws {
    let background = BackgroundStatement()
    for part in 0..<50 as Range<Int64> {
      background.wait()
      numbers.values = part * 100..<(part + 1) * 100
      try background.start(insert)
    }
    try background.finish()
    #expect(try database.int64("SELECT count(*) FROM t") == 5_000)
    #expect(try database.int64("SELECT sum(n) FROM t") == 5_000 * 4_999 / 2)
  }

  @Test func `an error is told to whoever waits for it or starts the next, once`() throws {
    let background = BackgroundStatement()
    numbers.values = 0..<10
    try background.start(insert)
    background.wait()
    // Each is there already.
    try background.start(insert)
    #expect(throws: DatabaseError.self) { try background.finish() }
    try background.finish()
    try background.start(insert)
    #expect(throws: DatabaseError.self) { try background.start(insert) }
    numbers.values = 10..<20
    try background.start(insert)
    try background.finish()
    #expect(try database.int64("SELECT count(*) FROM t") == 20)
  }

  @Test func `waiting keeps the error for finish`() throws {
    let background = BackgroundStatement()
    numbers.values = 0..<10
    try background.start(insert)
    try background.start(insert)
    background.wait()
    background.wait()
    #expect(throws: DatabaseError.self) { try background.finish() }
  }
}
