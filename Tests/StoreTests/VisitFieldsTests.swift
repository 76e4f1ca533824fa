import BrowsingData
import Testing

@testable import Store

/// The rule for visits met twice must not depend on order, else two stores' histories never agree.
@Suite struct VisitFieldsTests {
  private func fields(_ generator: inout SeededGenerator) -> VisitFields {
    func link() -> HistoryVisit.Link? {
      guard Bool.random(using: &generator) else { return nil }
      return HistoryVisit.Link(
        url: "https://\(Int.random(in: 0..<3, using: &generator)).test/",
        visitedAt: Timestamp(microseconds: Int64.random(in: 0..<3, using: &generator)))
    }
    var fields = VisitFields(
      kind: UInt8.random(in: 0...4, using: &generator), flags: UInt8.random(in: 0...7, using: &generator), link: nil,
      attributes: VisitBatch.Attributes())
    fields.count = Int64.random(in: 1...3, using: &generator)
    fields.redirectSource = link()
    fields.referrer = link()
    fields.destination = link()
    if Bool.random(using: &generator) {
      fields.unknown = UnknownFields([
        .init(
          number: UInt64.random(in: 1...2, using: &generator) * 2 + 99,
          value: [UInt8.random(in: 0...2, using: &generator)])
      ])
    }
    return fields
  }

  @Test func `merging is commutative, associative and idempotent`() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      let (a, b, c) = (fields(&generator), fields(&generator), fields(&generator))
      #expect(a.merged(with: b) == b.merged(with: a))
      #expect(a.merged(with: b).merged(with: c) == a.merged(with: b.merged(with: c)))
      #expect(a.merged(with: a) == a)
      #expect(a.merged(with: b).merged(with: b) == a.merged(with: b))
    }
  }

  @Test func `a row and its attributes say the same again`() {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<500 {
      let fields = fields(&generator)
      let attributes = VisitAttributes.encode(fields.attributes).withUnsafeBytes { VisitAttributes.decode($0) }
      #expect(attributes == fields.attributes)
      #expect(
        VisitFields(kind: fields.kind, flags: fields.storedFlags, link: fields.mainLink, attributes: attributes)
          == fields)
    }
  }

  @Test func `attributes that are damaged are no trap`() {
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<5_000 {
      var bytes = VisitAttributes.encode(fields(&generator).attributes)
      for _ in 0..<3 where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let cut = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
      let decoded = Array(cut).withUnsafeBytes { VisitAttributes.decode($0) }
      #expect(decoded.unknown.fields.count <= bytes.count)
    }
  }
}
