import BrowsingData

extension RecordCodec {
  static func readVisits(_ fields: TLVReader, into changes: inout ChangeBatch) throws(WireError) {
    var fields = fields
    let count = try readCount(&fields)
    let columns = try VisitColumns(&fields, count)
    let profileNames = try fields.field(22)
    var batch = VisitBatch()
    if let profileNames {
      batch.profiles += try profileNames.wholeList { (reader) throws(WireError) in
        try reader.countedPart().wholeText(atMost: Limits.text)
      }
      guard batch.profiles.count > 1 else { throw .malformed(.value) }
    }
    let profiles = try readNumbers(24, count, below: UInt64(batch.profiles.count), &fields)
    let formers = try readNumbers(26, count, below: 1 << 63, &fields)
    var faults: [Int: String] = [:]
    try columns.rows(into: &batch.visits, after: changes.first, upTo: changes.last, &faults)
    for row in profiles.indices { batch.visits[row].profile = Int32(truncatingIfNeeded: profiles[row]) }
    for row in formers.indices {
      batch.visits[row].was = Int64(truncatingIfNeeded: formers[row])
      guard batch.visits[row].was < batch.visits[row].sequence else { throw .malformed(.sequence) }
    }
    if let value = try fields.field(28) { try readAttributes(value, fields, &batch, &faults) }
    try fields.finish()
    skipFaulty(&batch, faults, &changes)
    changes.content = .visits(batch)
  }

  /// A column of one number a row that is there when not all are 0.
  static func readNumbers(
    _ number: UInt64, _ count: Int, below limit: UInt64, _ fields: inout TLVReader
  ) throws(WireError) -> [UInt64] {
    guard let values = try fields.field(number)?.column(count) else { return [] }
    guard values.contains(where: { $0 != 0 }), values.allSatisfy({ $0 < limit }) else { throw .malformed(.value) }
    return values
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
        faults[row] = faults[row] ?? "the record is larger than \(Limits.record) bytes"
        continue
      }
      var record = RecordFields(try fields.map(body, keepsUnknown: true))
      var attributes = VisitBatch.Attributes()
      let count = try record.optionalNumber(3, "visit_count", 2...Int(Int32.max))
      attributes.visitCount = Int64(count ?? 1)
      attributes.destination = try record.link(5, "redirect_destination")
      attributes.referrer = try record.link(7, "referrer")
      attributes.unknown = try record.finish()
      if let fault = record.fault { faults[row] = faults[row] ?? fault }
      guard !attributes.isEmpty || record.fault != nil else { throw .malformed(.value) }
      batch.visits[row].attributes = Int32(batch.attributes.count)
      batch.attributes.append(attributes)
    } while !value.isAtEnd
  }

  /// Takes out the visits that no record may be, with a remark each.
  private static func skipFaulty(_ batch: inout VisitBatch, _ faults: [Int: String], _ changes: inout ChangeBatch) {
    guard !faults.isEmpty else { return }
    for (_, fault) in faults.sorted(by: { $0.key < $1.key }) {
      changes.remarks.append(Remark(.skipped, type: .history, reason: fault))
    }
    batch.visits = batch.visits.enumerated().filter { faults[$0.offset] == nil }.map(\.element)
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
