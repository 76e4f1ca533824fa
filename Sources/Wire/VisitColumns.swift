import BrowsingData

/// The columns of a batch of visits as they came, one number a row; an absent one is empty. Turned into visits in one
/// pass, since a batch of visits is larger than a processor's nearest memory.
struct VisitColumns {
  private let count: Int
  private let steps: [UInt64]
  private let pages: [UInt64]
  private let times: [UInt64]
  private let transitions: [UInt8]
  private let flags: [UInt8]
  private let links: [UInt64]
  private let linkPages: [UInt64]
  private let linkDeltas: [UInt64]
  private let occurrences: [UInt64]

  /// Reads the fields 4 to 20.
  init(_ fields: inout TLVReader, _ count: Int) throws(WireError) {
    self.count = count
    steps = try fields.required(4).naturalColumn(count)
    pages = try fields.required(6).column(count)
    times = try fields.required(8).column(count)
    transitions = try VisitColumns.bytes(10, count, &fields)
    flags = try VisitColumns.bytes(12, count, &fields)
    links = try RecordCodec.readNumbers(14, count, below: RecordCodec.farLink + 1, &fields)
    let far = links.count { $0 == RecordCodec.farLink }
    linkPages = try VisitColumns.far(16, far, &fields)
    linkDeltas = try VisitColumns.far(18, far, &fields)
    occurrences = try RecordCodec.readNumbers(20, count, below: 1 << 31, &fields)
  }

  private static func bytes(
    _ number: UInt64, _ count: Int, _ fields: inout TLVReader
  ) throws(WireError) -> [UInt8] {
    guard let values = try fields.field(number)?.wholeBytes(count) else { return [] }
    guard values.contains(where: { $0 != 0 }) else { throw .malformed(.value) }
    return values
  }

  /// A column of the links that are not near; it is there when there are any.
  private static func far(
    _ number: UInt64, _ count: Int, _ fields: inout TLVReader
  ) throws(WireError) -> [UInt64] {
    let value = try fields.field(number)
    guard (value != nil) == (count > 0) else { throw .malformed(.missing) }
    return try value?.column(count) ?? []
  }

  /// The visits; what is wrong with a row that no record may be is noted under its number.
  func rows(
    into visits: inout [VisitBatch.Visit], after first: Int64, upTo last: Int64, _ faults: inout [Int: String]
  ) throws(WireError) {
    visits.reserveCapacity(count)
    var sequence = first
    var page: Int64 = 0
    var time: Int64 = 0
    var far = 0
    for row in 0..<count {
      let step = Int64(truncatingIfNeeded: steps[row])
      guard step > 0, step <= last &- sequence else { throw .malformed(.sequence) }
      sequence &+= step
      page &+= Column.signed(pages[row])
      time &+= Column.signed(times[row])
      guard page != 0 else { throw .malformed(.value) }
      var visit = VisitBatch.Visit(page: page, time: time)
      visit.sequence = sequence
      if !transitions.isEmpty { visit.transition = transitions[row] }
      if !flags.isEmpty { visit.flags = VisitBatch.Flags(rawValue: flags[row]) }
      if !occurrences.isEmpty { visit.occurrence = Int32(truncatingIfNeeded: occurrences[row]) }
      if !links.isEmpty, links[row] != 0 { try link(&visit, row, &far, visits) }
      if let fault = fault(of: visit) { faults[row] = fault }
      visits.append(visit)
    }
  }

  @inline(__always)
  private func link(
    _ visit: inout VisitBatch.Visit, _ row: Int, _ far: inout Int, _ visits: [VisitBatch.Visit]
  ) throws(WireError) {
    let link = links[row]
    if link < RecordCodec.farLink {
      let target = row &- Int(truncatingIfNeeded: link)
      guard target >= 0 else { throw .malformed(.value) }
      visit.linkPage = visits[target].page
      visit.linkDelta = visit.time &- visits[target].time
    } else {
      visit.linkPage = visit.page &+ Column.signed(linkPages[far])
      visit.linkDelta = Column.signed(linkDeltas[far])
      far &+= 1
      guard visit.linkPage != 0 else { throw .malformed(.value) }
    }
    // One value, one encoding: it is the nearest row, and far only what is not near.
    guard RecordCodec.link(of: visit, at: row, in: visits) == link else { throw .malformed(.value) }
  }

  @inline(__always)
  private func fault(of visit: VisitBatch.Visit) -> String? {
    if !Timestamp(microseconds: visit.time).isPlausible { return "visited_at is not between 1970 and 2200" }
    if visit.transition > HistoryVisit.Transition.other.rawValue { return "transition is unknown" }
    if visit.flags.rawValue > 15 { return "flags are unknown" }
    if visit.linkPage != 0, !Timestamp(microseconds: visit.time &- visit.linkDelta).isPlausible {
      return "the link's visited_at is not between 1970 and 2200"
    }
    return nil
  }
}
