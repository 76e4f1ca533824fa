import SQLite
import TestSupport
import Testing

@Suite struct RowTableTests {
  private final class Numbers: RowTable {
    var values: [Int64?] = []
    let text = Array("seven".utf8)
    var rowCount: Int { values.count }

    func value(_ column: Int, of row: Int, to result: ColumnResult) {
      guard let value = values[row] else { return }
      switch column {
      case 0: result.set(value)
      case 1: text.withUnsafeBytes { result.set(text: UnsafeRawBufferPointer(rebasing: $0[0..<Int(value)])) }
      default: text.withUnsafeBytes { result.set(bytes: UnsafeRawBufferPointer(rebasing: $0[0..<Int(value)])) }
      }
    }
  }

  @Test func `rows in memory are inserted by one statement, again and again`() throws {
    let database = try Database(path: ":memory:", mode: .create)
    let numbers = Numbers()
    try database.register(numbers, as: "numbers", columns: ["n", "t", "b"])
    try database.execute("CREATE TABLE t(n, t, b)")
    let insert = try database.prepare("INSERT INTO t SELECT n, t, b FROM numbers ORDER BY numbers.rowid")
    try insert.run()
    numbers.values = [5, 0, nil]
    try insert.run()
    try insert.run()
    let select = try database.prepare("SELECT n, t, b FROM t")
    for _ in 0..<2 {
      #expect(try select.step())
      #expect(select.int64(0) == 5 && select.text(1) == "seven" && select.bytes(2) == Array("seven".utf8))
      #expect(try select.step())
      #expect(select.int64(0) == 0 && select.text(1) == "" && select.bytes(2) == [])
      #expect(try select.step())
      #expect(select.isNull(0) && select.isNull(1) && select.isNull(2))
    }
    #expect(try select.step() == false)
  }

  @Test func `rows in memory go when the connection does`() throws {
    weak var gone: Numbers?
    do {
      let database = try Database(path: ":memory:", mode: .create)
      let numbers = Numbers()
      gone = numbers
      try database.register(numbers, as: "numbers", columns: ["n", "t", "b"])
      #expect(try database.int64("SELECT count(*) FROM numbers") == 0)
    }
    #expect(gone == nil)
  }
}
