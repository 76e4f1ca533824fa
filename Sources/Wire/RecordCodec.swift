package import BrowsingData

/// Runs of change logs as bytes and back. Field numbers: Documentation/Protocol.md.
///
/// A record that parses but holds what no record may hold (text that is not UTF-8 or too long, an unknown word, a time
/// outside 1970…2200, too large) becomes a remark of the batch; all else throws.
package enum RecordCodec {
  /// A batch as a map of fields: a BATCH's payload without its number. Throws `malformed(.limit)` when it is larger
  /// than a batch may be: ask the store for less at once.
  package static func encode(_ batch: ChangeBatch) throws(WireError) -> [UInt8] {
    var fields = TLVWriter()
    try write(batch, into: &fields)
    let bytes = fields.finish()
    guard bytes.count <= Limits.batchPayload else { throw .malformed(.limit) }
    return bytes
  }

  /// The batch of these bytes.
  package static func decode(_ bytes: [UInt8]) throws(WireError) -> ChangeBatch {
    guard bytes.count <= Limits.batchPayload else { throw .malformed(.limit) }
    var fields = try TLVReader(bytes)
    let batch = try read(&fields)
    try fields.finish()
    return batch
  }

  static func write(_ batch: ChangeBatch, into fields: inout TLVWriter) throws(WireError) {
    guard batch.count <= Limits.batchRecords else { throw .malformed(.limit) }
    guard batch.first >= 0, batch.first < batch.last else { throw .malformed(.sequence) }
    fields.varint(4, UInt64(batch.log.rawValue))
    fields.natural(6, batch.first)
    fields.natural(8, batch.last)
    switch batch.content {
    case .records(let records): fields.bytes(10, try encode(records, of: batch))
    case .pages(let pages): fields.bytes(12, try encode(pages, of: batch))
    case .visits(let visits): fields.bytes(14, try encode(visits, of: batch))
    case .resources(let pieces): fields.bytes(16, try encode(pieces, of: batch))
    }
  }

  static func read(_ fields: inout TLVReader) throws(WireError) -> ChangeBatch {
    let log = try fields.required(4).wholeCase(of: ChangeLog.self)
    let first = try fields.required(6).wholeNatural()
    let last = try fields.required(8).wholeNatural()
    guard first < last else { throw .malformed(.sequence) }
    var batch = ChangeBatch(log: log, first: first, last: last, content: .records([]))
    switch log {
    case .bookmarks, .readingList, .extensions, .passwords, .cards:
      try readRecords(try fields.required(10), fields, into: &batch)
    case .pages: try readPages(try fields.map(try fields.required(12)), into: &batch)
    case .visits: try readVisits(try fields.map(try fields.required(14)), into: &batch)
    case .resources: try readPieces(try fields.required(16), fields, into: &batch)
    // Rules travel in role sync only.
    case .forgetRules: throw .malformed(.value)
    }
    return batch
  }

  private static func encode(
    _ records: [ChangedRecord], of batch: ChangeBatch
  ) throws(WireError) -> [UInt8] {
    var writer = ByteWriter()
    var previous = batch.first
    for record in records {
      guard record.sequence > previous, record.sequence <= batch.last else { throw .malformed(.sequence) }
      var entry = TLVWriter()
      entry.natural(2, record.sequence - previous)
      if record.was != 0 { entry.natural(4, record.was) }
      switch record.change {
      case .deleted(let id): entry.bytes(6, id.bytes)
      case .present(let record):
        guard record.type == batch.log.type else { throw .malformed(.value) }
        entry.bytes(8, try encode(record))
      }
      writer.counted(entry.finish())
      previous = record.sequence
    }
    return writer.bytes
  }

  private static func encode(_ record: Record) throws(WireError) -> [UInt8] {
    switch record {
    case .bookmark(let bookmark): encode(bookmark)
    case .readingListItem(let item): encode(item)
    case .browserExtension(let item): encode(item)
    case .login(let login): encode(login)
    case .paymentCard(let card): encode(card)
    case .historyVisit: throw .malformed(.value)
    }
  }

  private static func readRecords(
    _ value: ByteReader, _ fields: TLVReader, into batch: inout ChangeBatch
  ) throws(WireError) {
    var value = value
    var records: [ChangedRecord] = []
    var previous = batch.first
    while !value.isAtEnd {
      guard records.count + batch.remarks.count < Limits.batchRecords else { throw .malformed(.limit) }
      var entry = try fields.map(try value.countedPart())
      let step = try entry.required(2).wholeNatural()
      guard step > 0, step <= batch.last - previous else { throw .malformed(.sequence) }
      previous += step
      let was = try entry.field(4).map { (value) throws(WireError) in try value.wholeNatural() }
      guard was.map({ $0 > 0 && $0 < previous }) ?? true else { throw .malformed(.sequence) }
      var change: ChangedRecord.Change?
      if let deleted = try entry.field(6) {
        guard let id = RecordID(bytes: try deleted.wholeBytes(16)) else { throw .malformed(.value) }
        change = .deleted(id)
      } else {
        switch try readRecord(try entry.required(8), entry, batch.log) {
        case .success(let record): change = .present(record)
        case .failure(let refused): batch.remarks.append(refused.remark)
        }
      }
      try entry.finish()
      if let change { records.append(ChangedRecord(sequence: previous, was: was ?? 0, change: change)) }
    }
    batch.content = .records(records)
  }

  private struct RefusedRecord: Error { var remark: Remark }

  private static func readRecord(
    _ body: ByteReader, _ entry: TLVReader, _ log: ChangeLog
  ) throws(WireError) -> Result<Record, RefusedRecord> {
    func refuse(_ why: String, _ id: RecordID? = nil) -> Result<Record, RefusedRecord> {
      let place: Remark.Place = id.map { .id($0.description) } ?? Remark.Place.none
      return .failure(RefusedRecord(remark: Remark(.skipped, type: log.type, place: place, reason: why)))
    }
    guard body.remaining <= Limits.record else { return refuse("the record is larger than \(Limits.record) bytes") }
    var fields = RecordFields(try entry.map(body, keepsUnknown: true))
    let record: Record
    switch log {
    case .bookmarks: record = .bookmark(try bookmark(&fields))
    case .readingList: record = .readingListItem(try readingListItem(&fields))
    case .extensions: record = .browserExtension(try browserExtension(&fields))
    case .passwords: record = .login(try login(&fields))
    case .cards: record = .paymentCard(try paymentCard(&fields))
    case .pages, .visits, .resources, .forgetRules: throw .malformed(.value)
    }
    if let fault = fields.fault { return refuse(fault, record.id) }
    return .success(record)
  }
}
