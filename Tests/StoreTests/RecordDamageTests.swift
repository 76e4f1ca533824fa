import BrowsingData
import SQLite
import Store
import Testing

@Suite struct RecordDamageTests {
  @Test func `a damaged body is an error, never a trap`() throws {
    let fixture = try RecordFixture()
    try fixture.take(
      .bookmarks(TreeBuilder.random(seed: 2, count: 30)), .logins(randomLogins(seed: 2, count: 10)),
      .readingList([ReadingListItem(id: RecordID(high: 1, low: 1), title: "t", url: "u")]))
    let database = try Database(path: fixture.store.path, mode: .readWrite)
    var bodies: [(Int64, [UInt8])] = []
    let read = try database.prepare("SELECT seq, body FROM rec")
    while try read.step() { bodies.append((read.int64(0), read.bytes(1) ?? [])) }
    var random = StoreRandom(seed: 3)
    var failures = 0
    for _ in 0..<400 {
      let (sequence, body) = bodies[random.below(bodies.count)]
      try write(damaged(body, &random), sequence, database)
      do {
        for type in [DataType.bookmarks, .readingList, .passwords] {
          _ = try fixture.all(type)
          _ = try fixture.store.changes(ChangeLog.logs(of: DataTypes(type))[0], after: 0)
        }
        try fixture.take(.bookmarks(TreeBuilder.random(seed: 2, count: 30))) { $0.dryRun = true }
      } catch is StoreError {
        failures += 1
      }
      try write(body, sequence, database)
    }
    #expect(failures > 50)
    #expect(try fixture.all(.bookmarks).count == 30)
  }

  @Test func `600 folders in one another, and 3,000 new ones among as many, keep their order`() throws {
    let fixture = try RecordFixture()
    var builder = TreeBuilder()
    var parent = RecordID.toolbar
    for number in 0..<600 { parent = builder.add(.folder, "d\(number)", parent) }
    for number in stride(from: 0, to: 3_000, by: 2) {
      builder.add(.bookmark, "\(number)", .menu, url: "https://\(number).test/")
    }
    try fixture.take(.bookmarks(builder.bookmarks))
    builder = TreeBuilder()
    for number in 0..<3_000 { builder.add(.bookmark, "\(number)", .menu, url: "https://\(number).test/") }
    let report = try fixture.take(.bookmarks(builder.bookmarks))
    #expect(report[.bookmarks].added == 1_500)
    #expect(report[.bookmarks].changed == 0)
    let titles = try fixture.all(.bookmarks).compactMap { record -> String? in
      guard case .bookmark(let one) = record, one.parent == .menu else { return nil }
      return one.title
    }
    #expect(titles == (0..<3_000).map(String.init))
    #expect(try fixture.all(.bookmarks).count == 3_600)
  }

  private func write(_ body: [UInt8], _ sequence: Int64, _ database: Database) throws {
    let update = try database.prepare("UPDATE rec SET body = ?2 WHERE seq = ?1")
    try update.bind(1, sequence)
    try update.bind(2, body)
    try update.run()
  }

  private func damaged(_ body: [UInt8], _ random: inout StoreRandom) -> [UInt8] {
    var body = body
    for _ in 0..<(1 + random.below(3)) where !body.isEmpty {
      switch random.below(3) {
      case 0: body[random.below(body.count)] = UInt8(random.below(256))
      case 1: body.removeLast(random.below(body.count) + 1)
      default: body.insert(UInt8(random.below(256)), at: random.below(body.count))
      }
    }
    return body
  }
}
