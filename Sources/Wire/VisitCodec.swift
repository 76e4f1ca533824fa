import BrowsingData

// Visits in columns. A link to a visit that stands at most `nearVisits` rows before is its distance.
extension RecordCodec {
  /// How far back a link looks for its visit.
  static let nearVisits = 16
  /// The link column's number for a link whose page and time follow in columns of their own.
  static let farLink = UInt64(nearVisits) + 1

  /// 0 for none, the distance of the nearest earlier row that is the linked visit, or `farLink`.
  @inline(__always)
  static func link(of visit: VisitBatch.Visit, at index: Int, in visits: [VisitBatch.Visit]) -> UInt64 {
    guard visit.linkPage != 0 else { return 0 }
    let time = visit.time &- visit.linkDelta
    var distance = 1
    while distance <= nearVisits, distance <= index {
      let row = index &- distance
      if visits[row].page == visit.linkPage, visits[row].time == time { return UInt64(distance) }
      distance &+= 1
    }
    return farLink
  }
}
