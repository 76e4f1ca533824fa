import BrowsingData
import TestSupport
import Testing

@testable import Wire

@Suite struct SyncCodecTests {
  private func bytes(_ batch: SyncBatch) throws(WireError) -> [UInt8] {
    try MessageCodec.encode(.syncBatch(SyncRows(number: 1, batch: batch)))
  }

  private func batch(_ bytes: [UInt8]) throws -> SyncBatch? {
    if case .syncBatch(let rows) = try MessageCodec.decode(24, bytes) { return rows.batch }
    return nil
  }

  @Test func `a run of every log comes back as it was, and has one encoding`() throws {
    for seed in 1...30 as ClosedRange<UInt64> {
      var samples = WireSamples(seed: seed)
      for log in ChangeLog.syncLogs(of: .all) {
        let before = samples.syncBatch(log)
        let encoded = try bytes(before)
        let after = try #require(try batch(encoded))
        #expect(after == before)
        #expect(try bytes(after) == encoded)
      }
    }
  }

  @Test func `a bookmark costs little on the wire`() throws {
    let store = RecordID(high: 1, low: 2)
    let dot = SyncDot(incarnation: store, counter: 1_764_000_000_000_000)
    let stamp = SyncStamp(time: 1_764_000_000_000, dot: dot)
    let record = SyncRecord(
      sequence: 9, id: .menu, context: [dot], newest: stamp.time,
      versions: [
        SyncVersion(
          dot: dot, seen: [],
          fields: (1...8).map { SyncField(number: $0, stamp: stamp, value: [UInt8](repeating: UInt8($0), count: 30)) })
      ])
    let frame = try MessageEncoder().encode(
      .syncBatch(
        SyncRows(number: 1, batch: SyncBatch(log: .bookmarks, first: 8, last: 9, content: .records([record])))))
    #expect(frame.count < 700)
  }

  private static let first = RecordID(high: 1, low: 1)
  private static let second = RecordID(high: 2, low: 2)

  private func record(_ sequence: Int64 = 2, context: [SyncDot] = []) -> SyncRecord {
    SyncRecord(sequence: sequence, id: .menu, context: context, newest: 1, versions: [])
  }

  @Test func `what would have two encodings, or no place, is our own mistake`() {
    let dots = [SyncDot(incarnation: Self.second, counter: 1), SyncDot(incarnation: Self.first, counter: 1)]
    for records in [[record(context: dots)], [record(3), record(2)], [record(9)]] {
      #expect(throws: WireError.self) {
        try bytes(SyncBatch(log: .bookmarks, first: 1, last: 5, content: .records(records)))
      }
    }
  }

  @Test func `a record that has seen too much is skipped, the others are taken`() throws {
    let stores = (1...300).map { SyncDot(incarnation: RecordID(high: $0, low: 0), counter: 1) }
    let encoded = try bytes(
      SyncBatch(log: .bookmarks, first: 1, last: 5, content: .records([record(2, context: stores), record(4)])))
    let taken = try #require(try batch(encoded))
    #expect(taken.content == .records([record(4)]))
    #expect(taken.remarks.count == 1)
    #expect(taken.remarks.first?.kind == .skipped)
  }

  @Test func `a rule whose text is not text is skipped`() throws {
    let rules = [
      LoggedForgetRule(sequence: 2, rule: ForgetRule(.host, "zz.test", from: 0, to: 9)),
      LoggedForgetRule(sequence: 3, rule: ForgetRule(.all, from: 1, to: 2)),
    ]
    var encoded = try bytes(SyncBatch(log: .forgetRules, first: 1, last: 3, content: .rules(rules)))
    let place = try #require(encoded.firstIndex(of: UInt8(ascii: "z")))
    encoded[place] = 0xff
    let taken = try #require(try batch(encoded))
    #expect(taken.content == .rules([rules[1]]))
    #expect(taken.remarks.count == 1)
  }

  @Test func `a store that no dot names makes the batch malformed`() throws {
    let batch = SyncBatch(log: .bookmarks, first: 1, last: 3, content: .records([record()]))
    var raw = try RawFields(bytes(batch))
    let table = try #require(raw.fields.firstIndex { $0.number == 16 })
    raw.fields[table].value = Self.first.bytes
    #expect(throws: WireError.malformed(.value)) { try MessageCodec.decode(24, raw.bytes) }
    raw.fields[table].value = Self.second.bytes + Self.first.bytes
    #expect(throws: WireError.malformed(.order)) { try MessageCodec.decode(24, raw.bytes) }
  }

  @Test func `passwords are never compressed, bookmarks are`() throws {
    var samples = WireSamples(seed: 4)
    let many = SyncRows(number: 1, batch: samples.syncBatch(.bookmarks, rows: 200))
    var secret = many
    secret.batch.log = .passwords
    let plain = try Frame(type: 24, payload: MessageCodec.encode(.syncBatch(secret))).encoded()
    #expect(try MessageEncoder().encode(.syncBatch(secret)) == plain)
    #expect(try MessageEncoder().encode(.syncBatch(many)).count < plain.count)
  }
}
