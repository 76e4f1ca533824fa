import BrowsingData

// A column that would only say what is true anyway is left out.
extension RecordCodec {
  static func encode(_ batch: VisitBatch, of changes: ChangeBatch) throws(WireError) -> [UInt8] {
    let visits = batch.visits
    let some = try check(batch, of: changes)
    let count = visits.count
    var fields = TLVWriter()
    fields.reserve(count * 16 + 256)
    fields.natural(2, count)
    var previous = changes.first
    fields.bytes(
      4,
      Column.varints(count) { row in
        defer { previous = visits[row].sequence }
        return UInt64(bitPattern: visits[row].sequence &- previous)
      })
    fields.bytes(6, Column.deltas(count) { visits[$0].page })
    fields.bytes(8, Column.deltas(count) { visits[$0].time })
    if some.transition != 0 { fields.bytes(10, visits.map(\.transition)) }
    if some.flags.rawValue != 0 { fields.bytes(12, visits.map(\.flags.rawValue)) }
    if some.linkPage != 0 { writeLinks(visits, &fields) }
    if some.occurrence != 0 { fields.bytes(20, Column.varints(count) { UInt64(clamping: visits[$0].occurrence) }) }
    fields.texts(22, Array(batch.profiles.dropFirst()))
    if some.profile != 0 { fields.bytes(24, Column.varints(count) { UInt64(clamping: visits[$0].profile) }) }
    if some.was != 0 { fields.bytes(26, Column.varints(count) { UInt64(clamping: visits[$0].was) }) }
    if some.attributes != 0 {
      let attributes = encodedAttributes(batch)
      if !attributes.isEmpty { fields.bytes(28, attributes) }
    }
    return fields.finish()
  }

  /// Refuses what no receiver takes, our own mistake, and says which columns have anything in them: a visit that is not
  /// 0 wherever any visit is not. The index of attributes counts from 1 there.
  private static func check(
    _ batch: VisitBatch, of changes: ChangeBatch
  ) throws(WireError) -> VisitBatch.Visit {
    guard !batch.profiles.isEmpty else { throw .malformed(.value) }
    var some = VisitBatch.Visit(page: 0, time: 0)
    some.attributes = 0
    var previous = changes.first
    for visit in batch.visits {
      guard visit.sequence > previous, visit.sequence <= changes.last, visit.was >= 0, visit.was < visit.sequence
      else { throw .malformed(.sequence) }
      guard visit.page != 0, visit.occurrence >= 0, visit.profile >= 0, visit.profile < batch.profiles.count,
        visit.attributes >= -1, visit.attributes < batch.attributes.count
      else { throw .malformed(.value) }
      previous = visit.sequence
      some.transition |= visit.transition
      some.flags.formUnion(visit.flags)
      some.linkPage |= visit.linkPage
      some.occurrence |= visit.occurrence
      some.profile |= visit.profile
      some.was |= visit.was
      some.attributes |= visit.attributes &+ 1
    }
    return some
  }

  private static func writeLinks(_ visits: [VisitBatch.Visit], _ fields: inout TLVWriter) {
    var far: [Int] = []
    fields.bytes(
      14,
      Column.varints(visits.count) { row in
        let link = link(of: visits[row], at: row, in: visits)
        if link == farLink { far.append(row) }
        return link
      })
    if far.isEmpty { return }
    fields.bytes(
      16, Column.varints(far.count) { Column.zigzag(visits[far[$0]].linkPage &- visits[far[$0]].page) })
    fields.bytes(18, Column.varints(far.count) { Column.zigzag(visits[far[$0]].linkDelta) })
  }

  private static func encodedAttributes(_ batch: VisitBatch) -> [UInt8] {
    var writer = ByteWriter()
    var previous = -1
    for (row, visit) in batch.visits.enumerated() where visit.attributes >= 0 {
      let attributes = batch.attributes[Int(visit.attributes)]
      guard !attributes.isEmpty else { continue }
      writer.varint(UInt64(row - previous))
      writer.counted(encode(attributes))
      previous = row
    }
    return writer.bytes
  }

  private static func encode(_ attributes: VisitBatch.Attributes) -> [UInt8] {
    var fields = TLVWriter(unknown: attributes.unknown)
    if attributes.visitCount != 1 { fields.natural(3, attributes.visitCount) }
    for (number, link) in [(5 as UInt64, attributes.destination), (7, attributes.referrer)] {
      guard let link else { continue }
      var map = TLVWriter()
      map.text(2, link.url)
      map.signed(4, link.visitedAt.microseconds)
      fields.bytes(number, map.finish())
    }
    return fields.finish()
  }
}
