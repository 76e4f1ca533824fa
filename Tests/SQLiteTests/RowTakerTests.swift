import SQLite
import TestSupport
import Testing

@Suite struct RowTakerTests {
  private final class Values: RowTaker {
    var numbers: [Int64] = []
    var texts: [String?] = []
    var enough = Int.max

    func take(_ row: RowValues) -> Bool {
      numbers.append(row.int64(0))
      texts.append(row.withText(1) { $0.map { String(decoding: $0, as: UTF8.self) } })
      return numbers.count % enough == 0
    }
  }

  private func filled() throws -> Database {
    let database = try Database(path: ":memory:", mode: .create)
    try database.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, text);
      INSERT INTO t VALUES (1, 'one'), (2, NULL), (3, ''), (4, 'vier'), (5, 5), (6, 'sechs'), (7, 'sieben');
      """)
    return database
  }

  @Test func `a step comes back when the taker has enough, and at the end`() throws {
    let values = Values()
    values.enough = 3
    let rows = try filled().prepare("SELECT 1 FROM t WHERE wherry_take(?9, id, text) ORDER BY id", giving: values)
    #expect(try rows.step())
    #expect(values.numbers == [1, 2, 3])
    #expect(try rows.step())
    #expect(values.numbers == [1, 2, 3, 4, 5, 6])
    #expect(try rows.step() == false)
    #expect(values.numbers == [1, 2, 3, 4, 5, 6, 7])
    #expect(values.texts == ["one", nil, "", "vier", "5", "sechs", "sieben"])
  }

  @Test func `a statement that runs again gives its rows again, with new parameters`() throws {
    let values = Values()
    let rows = try filled().prepare(
      "SELECT 1 FROM t WHERE id = ?1 AND CASE WHEN text <> '' THEN wherry_take(?9, id, text) END", giving: values)
    for id in Int64(1)...4 {
      rows.reset()
      try rows.bind(1, id)
      #expect(try rows.step() == false)
    }
    #expect(values.numbers == [1, 4])
  }

  @Test func `a column that is not there is NULL`() throws {
    let values = Values()
    let rows = try filled().prepare("SELECT 1 FROM t WHERE wherry_take(?9) OR wherry_take(?9, id)", giving: values)
    #expect(try rows.step() == false)
    #expect(values.numbers == [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7])
    #expect(values.texts.allSatisfy { $0 == nil })
  }

  @Test func `two takers of one database do not meet`() throws {
    let database = try filled()
    let (one, other) = (Values(), Values())
    let first = try database.prepare("SELECT 1 FROM t WHERE wherry_take(?9, id)", giving: one)
    let second = try database.prepare("SELECT 1 FROM t WHERE id > 4 AND wherry_take(?9, id)", giving: other)
    one.enough = 2
    #expect(try first.step())
    #expect(try second.step() == false)
    #expect(one.numbers == [1, 2])
    #expect(other.numbers == [5, 6, 7])
  }

  @Test func `a statement without a taker takes nothing, and a schema may not name one`() throws {
    let database = try filled()
    let values = Values()
    _ = try database.prepare("SELECT 1 FROM t WHERE wherry_take(?9, id)", giving: values)
    let pointless = try database.prepare("SELECT 1 FROM t WHERE wherry_take(140737488355328, id)")
    #expect(try pointless.step() == false)
    #expect(throws: DatabaseError.self) { _ = try database.prepare("SELECT 1 FROM t", giving: values) }
    try database.execute("CREATE VIEW v AS SELECT wherry_take(id, id) FROM t")
    #expect(throws: DatabaseError.self) { _ = try database.prepare("SELECT * FROM v").step() }
    #expect(values.numbers.isEmpty)
  }
}
