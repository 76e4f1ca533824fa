import BrowsingData

// Visits in columns. A link to a visit that stands at most `nearVisits` rows before is its distance.
extension RecordCodec {
  /// How far back a link looks for its visit.
  static let nearVisits = 16
  /// The link column's number for a link whose page and time follow in columns of their own.
  static let farLink = UInt64(nearVisits) + 1

  static func encode(_ batch: VisitBatch, of changes: ChangeBatch) throws(WireError) -> [UInt8] {
    var columns = VisitColumns()
    columns.reserve(batch.visits.count)
    var previous = VisitBatch.Visit(page: 0, time: 0)
    previous.sequence = changes.first
    for (index, visit) in batch.visits.enumerated() {
      guard visit.sequence > previous.sequence, visit.sequence <= changes.last, visit.was >= 0,
        visit.was < visit.sequence, visit.page != 0, visit.occurrence >= 0,
        visit.profile >= 0, visit.profile < batch.profiles.count, visit.attributes >= -1,
        visit.attributes < batch.attributes.count
      else { throw .malformed(.sequence) }
      columns.sequences.varint(UInt64(bitPattern: visit.sequence &- previous.sequence))
      columns.pages.signed(visit.page &- previous.page)
      columns.times.signed(visit.time &- previous.time)
      columns.transitions.byte(visit.transition)
      columns.flags.byte(visit.flags.rawValue)
      let link = link(of: visit, at: index, in: batch.visits)
      columns.links.varint(link)
      if link == farLink {
        columns.linkPages.signed(visit.linkPage &- visit.page)
        columns.linkDeltas.signed(visit.linkDelta)
      }
      columns.occurrences.varint(UInt64(visit.occurrence))
      columns.profiles.varint(UInt64(visit.profile))
      columns.formers.varint(UInt64(visit.was))
      columns.note(visit)
      previous = visit
    }
    return columns.finish(batch)
  }

  /// 0 for none, the distance of the nearest earlier row that is the linked visit, or `farLink`.
  static func link(of visit: VisitBatch.Visit, at index: Int, in visits: [VisitBatch.Visit]) -> UInt64 {
    guard visit.linkPage != 0 else { return 0 }
    let time = visit.time &- visit.linkDelta
    var distance = 1
    while distance <= nearVisits, distance <= index {
      let candidate = visits[index &- distance]
      if candidate.page == visit.linkPage, candidate.time == time { return UInt64(distance) }
      distance &+= 1
    }
    return farLink
  }
}
