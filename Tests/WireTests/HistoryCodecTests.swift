import BrowsingData
import TestSupport
import Testing

@testable import Wire

@Suite struct HistoryCodecTests {
  private func pages(_ texts: [(url: [UInt8], title: [UInt8]?)]) -> ChangeBatch {
    var batch = PageBatch()
    for (index, text) in texts.enumerated() {
      batch.append(number: Int64(index + 1), url: text.url, title: text.title)
      batch.pages[index].sequence = Int64(index + 1)
    }
    return ChangeBatch(log: .pages, first: 0, last: Int64(texts.count), content: .pages(batch))
  }

  private func visits(_ change: (inout VisitBatch.Visit) -> Void) -> ChangeBatch {
    var batch = VisitBatch()
    for row in 1...3 as ClosedRange<Int64> {
      var visit = VisitBatch.Visit(page: row, time: row * 1_000_000)
      visit.sequence = row
      if row == 2 { change(&visit) }
      batch.visits.append(visit)
    }
    return ChangeBatch(log: .visits, first: 0, last: 3, content: .visits(batch))
  }

  @Test func `a page whose text is wrong is skipped and named, its neighbours stay`() throws {
    let good = Array("https://example.org/é".utf8)
    let wrong: [(url: [UInt8], title: [UInt8]?)] = [
      ([0xff], nil), (good, [0xc3]), ([UInt8](repeating: 97, count: Limits.text + 1), nil),
      (good, [UInt8](repeating: 97, count: Limits.text + 1)),
    ]
    for text in wrong {
      let back = try RecordCodec.decode(RecordCodec.encode(pages([(good, good), text, (good, nil)])))
      #expect(back.count == 2 && back.remarks.count == 1)
      #expect(back.unreadablePages == [2])
    }
    let longest = [UInt8](repeating: 97, count: Limits.text)
    #expect(try RecordCodec.decode(RecordCodec.encode(pages([(longest, longest)]))).count == 1)
  }

  @Test func `text that is UTF-8 only as a whole is not taken in parts`() throws {
    let back = try RecordCodec.decode(RecordCodec.encode(pages([([0x61, 0xc3], [0xa9, 0x62]), ([0x61], nil)])))
    #expect(back.unreadablePages == [1])
    #expect(back.count == 1)
  }

  @Test func `the text checker agrees with the standard library`() {
    var samples = WireSamples(seed: 9)
    let pieces: [[UInt8]] = [
      [0x41], Array("plain ascii text".utf8), Array("é".utf8), Array("日本語".utf8), Array("🚀".utf8), [0x80], [0xc0],
      [0xc1, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80],
      [0xf5], [0xff], [0xe2, 0x82], [0xf0, 0x9f, 0x9a], [0xef, 0xbf, 0xbf],
    ]
    for round in 0..<20_000 {
      var bytes = samples.list(0...6) { pieces.randomElement(using: &$0.random) ?? [] }.flatMap { $0 }
      if round % 3 == 0, !bytes.isEmpty {
        bytes[bytes.indices.randomElement(using: &samples.random) ?? 0] = samples.bytes(1)[0]
      }
      #expect(TextChecker.isValid(bytes.span.bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
  }

  @Test func `a visit that no record may be is skipped, its neighbours stay`() throws {
    let wrong: [(inout VisitBatch.Visit) -> Void] = [
      { $0.time = -1 }, { $0.time = Timestamp.end.microseconds }, { $0.transition = 15 },
      { $0.flags = VisitBatch.Flags(rawValue: 16) },
      {
        $0.linkPage = 9; $0.linkDelta = 3_000_000
      },
      {
        $0.linkPage = 9; $0.linkDelta = .min
      },
    ]
    for change in wrong {
      let back = try RecordCodec.decode(RecordCodec.encode(visits(change)))
      #expect(back.count == 2 && back.remarks.count == 1)
    }
    #expect(
      try RecordCodec.decode(
        RecordCodec.encode(
          visits {
            $0.linkPage = 9; $0.linkDelta = 1
          })
      ).count == 3)
  }

  @Test func `what no receiver takes is not sent`() {
    let wrong: [(inout VisitBatch.Visit) -> Void] = [
      { $0.page = 0 }, { $0.sequence = 1 }, { $0.sequence = 9 }, { $0.was = 2 }, { $0.was = -1 }, { $0.profile = 1 },
      { $0.attributes = 0 }, { $0.occurrence = -1 },
    ]
    for change in wrong { #expect(throws: WireError.self) { try RecordCodec.encode(visits(change)) } }
    var batch = pages([([97], nil)])
    for range in [0..<2, -1..<1] as [Range<Int32>] {
      var spoilt = PageBatch()
      spoilt.text = [97]
      spoilt.pages = [PageBatch.Page(number: 1, url: range, title: nil)]
      spoilt.pages[0].sequence = 1
      batch.content = .pages(spoilt)
      #expect(throws: WireError.malformed(.value)) { try RecordCodec.encode(batch) }
    }
  }

  @Test func `a spoilt column is refused`() throws {
    var samples = WireSamples(seed: 12)
    var cases = 0
    for seed in 0..<30 as Range<UInt64> {
      samples = WireSamples(seed: seed)
      for log in [ChangeLog.pages, .visits] {
        let outer = try RawFields(RecordCodec.encode(samples.batch(log, rows: 9)))
        let place = outer.fields.count - 1
        let inner = try RawFields(outer.fields[place].value)
        for index in inner.fields.indices {
          let number = inner.fields[index].number
          var spoilt = [
            inner.changed { $0.fields.insert($0.fields[index], at: index) },
            inner.changed { $0.fields[index].value = [] },
            inner.changed { $0.fields[index].number = 1000 },
          ]
          if number != 12 || log == .visits {
            // A zero more in the list of profiles is a profile without a name.
            if number != 22 { spoilt.append(inner.changed { $0.fields[index].value += [0] }) }
            spoilt.append(inner.changed { $0.fields[index].value.removeLast() })
          }
          if number > 2, number < (log == .pages ? 14 : 10) {
            spoilt.append(inner.changed { $0.fields.remove(at: index) })
          }
          for bytes in spoilt {
            cases += 1
            #expect(throws: WireError.self, "column \(number) of \(log), seed \(seed)") {
              try RecordCodec.decode(outer.changed { $0.fields[place].value = bytes })
            }
          }
        }
      }
    }
    #expect(cases > 700)
  }

  @Test func `a column of nothing but defaults is refused: one value, one encoding`() throws {
    let outer = try RawFields(RecordCodec.encode(visits { _ in }))
    let inner = try RawFields(outer.fields[3].value)
    for number in [10, 12, 14, 20, 26] as [UInt64] {
      #expect(throws: WireError.malformed(.value)) {
        try RecordCodec.decode(
          outer.changed { $0.fields[3].value = inner.changed { $0.fields.append((number, [0, 0, 0])) } })
      }
    }
  }

  @Test func `a link to a near visit costs one byte, and only the nearest is taken`() throws {
    let near = visits {
      $0.linkPage = 1; $0.linkDelta = 1_000_000
    }
    let outer = try RawFields(RecordCodec.encode(near))
    let inner = try RawFields(outer.fields[3].value)
    #expect(inner.fields.last?.number == 14)
    #expect(inner.fields.last?.value == [0, 1, 0])
    for links in [[0, 2, 0], [1, 0, 0], [0, 17, 0], [0, 18, 0]] as [[UInt8]] {
      #expect(throws: WireError.self) {
        try RecordCodec.decode(
          outer.changed { $0.fields[3].value = inner.changed { $0.fields[$0.fields.count - 1].value = links } })
      }
    }
  }
}
