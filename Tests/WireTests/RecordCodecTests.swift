import BrowsingData
import TestSupport
import Testing

@testable import Wire

@Suite struct RecordCodecTests {
  static let logs: [ChangeLog] = [.bookmarks, .readingList, .extensions, .passwords, .cards, .visits, .pages]
  static let kinds: [ChangeLog] = [.bookmarks, .readingList, .extensions, .passwords, .cards]

  @Test(arguments: logs) func `a batch comes back as it was and has one encoding`(_ log: ChangeLog) throws {
    for seed in 1...150 as ClosedRange<UInt64> {
      var samples = WireSamples(seed: seed &* 31 &+ UInt64(log.rawValue))
      let batch = samples.batch(log, rows: Int(samples.number(40)))
      let bytes = try RecordCodec.encode(batch)
      let back = try RecordCodec.decode(bytes)
      #expect(back == batch)
      #expect(try RecordCodec.encode(back) == bytes)
    }
  }

  @Test(arguments: kinds) func `a spoilt field of any record is refused`(_ log: ChangeLog) throws {
    var samples = WireSamples(seed: 77)
    let record = ChangedRecord(sequence: 1, change: .present(samples.record(log.type, full: true)))
    let raw = try body(of: record, log)
    var cases = 0
    for index in raw.fields.indices {
      let number = raw.fields[index].number
      if number % 2 == 0, number != 12 {
        #expect(throws: WireError.malformed(.missing)) { try decode(raw.changed { $0.fields.remove(at: index) }, log) }
        cases += 1
      }
      #expect(throws: WireError.malformed(.order)) {
        try decode(raw.changed { $0.fields.insert($0.fields[index], at: index) }, log)
      }
      if index > 0 {
        #expect(throws: WireError.self) {
          try decode(raw.changed { $0.fields.swapAt(index, index - 1) }, log)
        }
      }
      #expect(throws: WireError.self) {
        try decode(raw.changed { $0.fields[index].number = $0.fields[index].number * 2 + 1000 }, log)
      }
      cases += 3
    }
    #expect(cases > 15)
  }

  @Test(arguments: kinds) func `a text at its limit is taken, one byte more skips the record`(_ log: ChangeLog) throws {
    var samples = WireSamples(seed: 78)
    let record = samples.record(log.type, full: true)
    let raw = try body(of: ChangedRecord(sequence: 1, change: .present(record)), log)
    for number in RecordCodecTests.texts(of: log) {
      let index = try #require(raw.fields.firstIndex { $0.number == number })
      let longest = raw.changed { $0.fields[index].value = [UInt8](repeating: 97, count: Limits.text) }
      #expect(try decode(longest, log).count == 1)
      let spoilt = [
        [UInt8](repeating: 97, count: Limits.text + 1), [0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
        [0xc0, 0x80],
      ]
      for value in spoilt {
        let batch = try decode(raw.changed { $0.fields[index].value = value }, log)
        #expect(batch.count == 0)
        let remark = try #require(batch.remarks.first)
        #expect(remark.kind == .skipped && remark.type == log.type)
        #expect(remark.place == .id((record.id ?? .toolbar).description))
      }
    }
  }

  @Test(arguments: kinds) func `a time outside its bounds skips the record`(_ log: ChangeLog) throws {
    var samples = WireSamples(seed: 79)
    let raw = try body(of: ChangedRecord(sequence: 1, change: .present(samples.record(log.type, full: true))), log)
    for number in RecordCodecTests.times(of: log) {
      let index = try #require(raw.fields.firstIndex { $0.number == number })
      for (time, isTaken) in [
        (0, true), (-1, false), (7_258_118_399_999_999, true), (7_258_118_400_000_000, false), (.max, false),
        (.min, false),
      ] as [(Int64, Bool)] {
        var writer = ByteWriter()
        writer.signed(time)
        let batch = try decode(raw.changed { $0.fields[index].value = writer.bytes }, log)
        #expect(batch.count == (isTaken ? 1 : 0) && batch.remarks.count == (isTaken ? 0 : 1))
      }
    }
  }

  @Test func `a record that is too large is skipped, its neighbours stay`() throws {
    var large = Bookmark(id: .mobile, kind: .bookmark, parent: .other, position: 0, title: "large")
    large.unknown = UnknownFields([.init(number: 99, value: [UInt8](repeating: 1, count: Limits.record))])
    let small = Bookmark(id: .menu, kind: .bookmark, parent: .other, position: 0, title: "small")
    let batch = ChangeBatch(
      log: .bookmarks, first: 0, last: 2,
      content: .records([
        ChangedRecord(sequence: 1, change: .present(.bookmark(large))),
        ChangedRecord(sequence: 2, change: .present(.bookmark(small))),
      ]))
    let back = try RecordCodec.decode(RecordCodec.encode(batch))
    #expect(back.count == 1 && back.remarks.count == 1)
    #expect(back.content == .records([ChangedRecord(sequence: 2, change: .present(.bookmark(small)))]))
  }

  @Test func `numbers and words outside their range skip the record`() throws {
    var samples = WireSamples(seed: 80)
    let spoilt: [(ChangeLog, UInt64, [UInt8])] = [
      (.bookmarks, 4, [4]), (.bookmarks, 4, [0]), (.bookmarks, 8, [UInt8](repeating: 0xff, count: 9) + [1]),
      (.bookmarks, 6, [1, 2]), (.bookmarks, 2, [1, 2]), (.cards, 17, [0]), (.cards, 17, [13]), (.cards, 19, [99]),
      (.cards, 19, [0x90, 0x4e]), (.extensions, 21, [2]), (.readingList, 17, [2]), (.passwords, 33, [0]),
    ]
    for (log, number, value) in spoilt {
      let raw = try body(of: ChangedRecord(sequence: 1, change: .present(samples.record(log.type, full: true))), log)
      let index = try #require(raw.fields.firstIndex { $0.number == number })
      let batch = try decode(raw.changed { $0.fields[index].value = value }, log)
      #expect(batch.count == 0 && batch.remarks.count == 1, "field \(number) of log \(log)")
    }
  }

  @Test func `no remark tells what a secret is`() throws {
    var login = Login(id: .menu, url: "https://a", username: "CANARY-U", password: "CANARY-P")
    login.notes = "CANARY-N"
    login.dateCreated = Timestamp(microseconds: -5)
    let batch = ChangeBatch(
      log: .passwords, first: 0, last: 1,
      content: .records([ChangedRecord(sequence: 1, change: .present(.login(login)))]))
    let back = try RecordCodec.decode(RecordCodec.encode(batch))
    #expect(back.remarks.count == 1)
    #expect(!"\(back.remarks)".contains("CANARY"))
  }

  @Test func `sequence numbers ascend from the first to the last`() throws {
    let record = Record.bookmark(Bookmark(id: .menu, kind: .folder, parent: .other, position: 0, title: ""))
    func batch(_ first: Int64, _ last: Int64, _ sequences: [Int64], was: Int64 = 0) -> ChangeBatch {
      ChangeBatch(
        log: .bookmarks, first: first, last: last,
        content: .records(sequences.map { ChangedRecord(sequence: $0, was: was, change: .present(record)) }))
    }
    #expect(try RecordCodec.decode(RecordCodec.encode(batch(4, 9, [5, 9]))).count == 2)
    #expect(try RecordCodec.decode(RecordCodec.encode(batch(4, 9, []))).count == 0)
    for wrong in [batch(4, 9, [4]), batch(4, 9, [10]), batch(4, 9, [6, 6]), batch(4, 4, []), batch(-1, 4, [])] {
      #expect(throws: WireError.malformed(.sequence)) { try RecordCodec.encode(wrong) }
    }
    #expect(throws: WireError.malformed(.sequence)) {
      try RecordCodec.decode(RecordCodec.encode(batch(4, 9, [5], was: 5)))
    }
    // A step of 0, and one beyond the last.
    for step in [0, 6] as [UInt8] {
      #expect(throws: WireError.malformed(.sequence)) {
        try RecordCodec.decode(
          [4, 1, 1, 6, 1, 4, 8, 1, 9, 10, 22, 21, 2, 1, step, 6, 16] + [UInt8](repeating: 0, count: 16))
      }
    }
  }

  @Test func `a batch has at most ten thousand records and a mebibyte`() throws {
    let deleted = (1...10_001).map { ChangedRecord(sequence: Int64($0), change: .deleted(.menu)) }
    var batch = ChangeBatch(log: .bookmarks, first: 0, last: 10_001, content: .records(Array(deleted.dropLast())))
    #expect(try RecordCodec.decode(RecordCodec.encode(batch)).count == 10_000)
    batch.content = .records(deleted)
    #expect(throws: WireError.malformed(.limit)) { try RecordCodec.encode(batch) }
    #expect(throws: WireError.malformed(.limit)) { try RecordCodec.decode([UInt8](repeating: 0, count: 1_048_574)) }
  }

  @Test func `a batch is refused one byte above what fits into a frame`() throws {
    func batch(_ count: Int) -> ChangeBatch {
      var large = Bookmark(id: .menu, kind: .folder, parent: .other, position: 0, title: "")
      large.unknown = UnknownFields([.init(number: 99, value: [UInt8](repeating: 1, count: count))])
      let record = ChangedRecord(sequence: 1, change: .present(.bookmark(large)))
      return ChangeBatch(log: .bookmarks, first: 0, last: 1, content: .records([record]))
    }
    let overhead = try RecordCodec.encode(batch(1_000_000)).count - 1_000_000
    let largest = batch(Limits.batchPayload - overhead - 3)
    let message = Message.batch(Batch(number: 1, changes: largest))
    #expect(try MessageCodec.encode(message).count == Limits.batchPayload)
    #expect(try MessageEncoder().encode(message).count <= Limits.frame + 4)
    #expect(throws: WireError.malformed(.limit)) {
      try MessageCodec.encode(.batch(Batch(number: 1, changes: batch(Limits.batchPayload - overhead - 2))))
    }
  }

  static func texts(of log: ChangeLog) -> [UInt64] {
    switch log {
    case .bookmarks: [10, 12, 19, 21, 23, 25, 27, 29, 33, 61]
    case .readingList: [4, 6, 19, 61]
    case .extensions: [4, 6, 13, 15, 17, 19, 23, 25, 27, 29, 31, 61]
    case .passwords: [4, 6, 8, 13, 15, 17, 21, 23, 35, 61]
    case .cards: [4, 13, 15, 61]
    case .visits, .pages, .resources, .forgetRules: []
    }
  }

  static func times(of log: ChangeLog) -> [UInt64] {
    switch log {
    case .bookmarks: [13, 15, 31]
    case .readingList: [13, 15]
    case .passwords: [25, 27, 29]
    case .cards: [21]
    case .extensions, .visits, .pages, .resources, .forgetRules: []
    }
  }

  /// The fields of a record's body.
  private func body(of record: ChangedRecord, _ log: ChangeLog) throws -> RawFields {
    let bytes = try RecordCodec.encode(ChangeBatch(log: log, first: 0, last: 1, content: .records([record])))
    let records = try #require(try RawFields(bytes).fields.first { $0.number == 10 })
    var reader = ByteReader(records.value)
    var entry = try reader.countedPart()
    return try RawFields(try #require(try RawFields(Array(entry.rest())).fields.first { $0.number == 8 }).value)
  }

  /// The batch of one record with this body.
  private func decode(_ body: [UInt8], _ log: ChangeLog) throws(WireError) -> ChangeBatch {
    var entry = TLVWriter()
    entry.varint(2, 1)
    entry.bytes(8, body)
    var records = ByteWriter()
    records.counted(entry.finish())
    var fields = TLVWriter()
    fields.varint(4, UInt64(log.rawValue))
    fields.varint(6, 0)
    fields.varint(8, 1)
    fields.bytes(10, records.bytes)
    return try RecordCodec.decode(fields.finish())
  }
}
