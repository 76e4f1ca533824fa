import BrowsingData

extension RecordCodec {
  static func readVisits(_ fields: TLVReader, into changes: inout ChangeBatch) throws(WireError) {
    var fields = fields
    var batch = VisitBatch()
    batch.visits = try readVisitRows(&fields, changes)
    if let column = try fields.field(10) {
      try readBytes(column, &batch.visits) { $0.transition = $1 }
    }
    if let column = try fields.field(12) {
      try readBytes(column, &batch.visits) { $0.flags = VisitBatch.Flags(rawValue: $1) }
    }
    try readLinks(&fields, &batch.visits)
    if let column = try fields.field(20) {
      try readNumbers(column, &batch.visits, below: Int64(Int32.max)) { $0.occurrence = Int32($1) }
    }
    if let names = try fields.field(22) {
      batch.profiles += try names.wholeList { (reader) throws(WireError) in
        try reader.countedPart().wholeText(atMost: Limits.text)
      }
      guard batch.profiles.count > 1 else { throw .malformed(.value) }
      if let column = try fields.field(24) {
        try readNumbers(column, &batch.visits, below: Int64(batch.profiles.count)) { $0.profile = Int32($1) }
      }
    }
    if let column = try fields.field(26) {
      try readNumbers(column, &batch.visits, below: .max) { $0.was = $1 }
      guard batch.visits.allSatisfy({ $0.was < $0.sequence }) else { throw .malformed(.sequence) }
    }
    var faults: [Int: String] = [:]
    if let value = try fields.field(28) { try readAttributes(value, fields, &batch, &faults) }
    try fields.finish()
    skipFaulty(&batch, &faults, &changes)
    changes.content = .visits(batch)
  }

  private static func readVisitRows(
    _ fields: inout TLVReader, _ changes: ChangeBatch
  ) throws(WireError) -> [VisitBatch.Visit] {
    let count = try readCount(&fields)
    var sequences = try fields.required(4)
    var pages = try fields.required(6)
    var times = try fields.required(8)
    var visits: [VisitBatch.Visit] = []
    visits.reserveCapacity(count)
    var visit = VisitBatch.Visit(page: 0, time: 0)
    visit.sequence = changes.first
    for _ in 0..<count {
      let step = try sequences.natural()
      guard step > 0, step <= changes.last &- visit.sequence else { throw .malformed(.sequence) }
      visit.sequence &+= step
      visit.page &+= try pages.signed()
      guard visit.page != 0 else { throw .malformed(.value) }
      visit.time &+= try times.signed()
      visits.append(visit)
    }
    try sequences.finish()
    try pages.finish()
    try times.finish()
    return visits
  }

  /// A column of one byte a row, not all 0.
  private static func readBytes(
    _ column: ByteReader, _ visits: inout [VisitBatch.Visit], _ set: (inout VisitBatch.Visit, UInt8) -> Void
  ) throws(WireError) {
    guard column.remaining == visits.count else { throw .malformed(.value) }
    var column = column
    var all: UInt8 = 0
    for row in visits.indices {
      let value = try column.byte()
      all |= value
      set(&visits[row], value)
    }
    guard all != 0 else { throw .malformed(.value) }
  }

  /// A column of one number a row, not all 0.
  private static func readNumbers(
    _ column: ByteReader, _ visits: inout [VisitBatch.Visit], below limit: Int64,
    _ set: (inout VisitBatch.Visit, Int64) -> Void
  ) throws(WireError) {
    var column = column
    var all: Int64 = 0
    for row in visits.indices {
      let value = try column.natural()
      guard value < limit else { throw .malformed(.value) }
      all |= value
      set(&visits[row], value)
    }
    guard all != 0 else { throw .malformed(.value) }
    try column.finish()
  }

  private static func readLinks(
    _ fields: inout TLVReader, _ visits: inout [VisitBatch.Visit]
  ) throws(WireError) {
    guard var links = try fields.field(14) else { return }
    var pages = try fields.field(16)
    var deltas = try fields.field(18)
    var all: UInt64 = 0
    for row in visits.indices {
      let link = try links.varint()
      if link == 0 { continue }
      all |= link
      if link < farLink, link <= UInt64(row) {
        let target = visits[row &- Int(link)]
        visits[row].linkPage = target.page
        visits[row].linkDelta = visits[row].time &- target.time
      } else if link == farLink, let page = try pages?.signed(), let delta = try deltas?.signed() {
        visits[row].linkPage = visits[row].page &+ page
        visits[row].linkDelta = delta
        guard visits[row].linkPage != 0 else { throw .malformed(.value) }
      } else {
        throw .malformed(.value)
      }
      // One value, one encoding: the nearest row, and columns only for what is not near.
      guard self.link(of: visits[row], at: row, in: visits) == link else { throw .malformed(.value) }
    }
    guard all != 0, pages?.isAtEnd ?? true, deltas?.isAtEnd ?? true else { throw .malformed(.value) }
    guard (pages == nil) == (deltas == nil) else { throw .malformed(.missing) }
    try links.finish()
  }

  private static func readAttributes(
    _ value: ByteReader, _ fields: TLVReader, _ batch: inout VisitBatch, _ faults: inout [Int: String]
  ) throws(WireError) {
    var value = value
    var row = -1
    repeat {
      let step = try value.natural()
      guard step > 0, step < batch.visits.count &- row else { throw .malformed(.value) }
      row += Int(step)
      let body = try value.countedPart()
      guard body.remaining <= Limits.record else {
        faults[row] = "the record is larger than \(Limits.record) bytes"
        continue
      }
      var record = RecordFields(try fields.map(body, keepsUnknown: true))
      var attributes = VisitBatch.Attributes()
      let count = try record.optionalNumber(3, "visit_count", 2...Int(Int32.max))
      attributes.visitCount = Int64(count ?? 1)
      attributes.destination = try record.link(5, "redirect_destination")
      attributes.referrer = try record.link(7, "referrer")
      attributes.unknown = try record.finish()
      if let fault = record.fault { faults[row] = fault }
      guard !attributes.isEmpty || record.fault != nil else { throw .malformed(.value) }
      batch.visits[row].attributes = Int32(batch.attributes.count)
      batch.attributes.append(attributes)
    } while !value.isAtEnd
  }

  /// Takes out the visits that no record may be, with a remark each.
  private static func skipFaulty(
    _ batch: inout VisitBatch, _ faults: inout [Int: String], _ changes: inout ChangeBatch
  ) {
    for (row, visit) in batch.visits.enumerated() {
      if let fault = fault(of: visit) { faults[row] = faults[row] ?? fault }
    }
    guard !faults.isEmpty else { return }
    for (_, fault) in faults.sorted(by: { $0.key < $1.key }) {
      changes.remarks.append(Remark(.skipped, type: .history, reason: fault))
    }
    batch.visits = batch.visits.enumerated().filter { faults[$0.offset] == nil }.map(\.element)
  }

  private static func fault(of visit: VisitBatch.Visit) -> String? {
    if !Timestamp(microseconds: visit.time).isPlausible { return "visited_at is not between 1970 and 2200" }
    if visit.transition > HistoryVisit.Transition.other.rawValue { return "transition is unknown" }
    if visit.flags.rawValue > 15 { return "flags are unknown" }
    if visit.linkPage != 0, !Timestamp(microseconds: visit.time &- visit.linkDelta).isPlausible {
      return "the link's visited_at is not between 1970 and 2200"
    }
    return nil
  }
}

extension RecordFields {
  /// A neighbour of a visit, with its address.
  mutating func link(_ number: UInt64, _ name: String) throws(WireError) -> HistoryVisit.Link? {
    guard let value = try fields.field(number) else { return nil }
    var inner = RecordFields(try fields.map(value))
    let url = try inner.text(2, name)
    let time = Timestamp(microseconds: try inner.fields.required(4).wholeSigned())
    try inner.fields.finish()
    if let fault = inner.fault { note(fault) }
    if !time.isPlausible { note("\(name) is not between 1970 and 2200") }
    return HistoryVisit.Link(url: url, visitedAt: time)
  }
}
