package import BrowsingData

/// BATCH of a sync: a run of one change log, with dots.
package struct SyncRows: Hashable, Sendable {
  /// Counts the batches of this connection, from 1.
  package var number: Int64
  /// The rows.
  package var batch: SyncBatch

  /// With everything.
  package init(number: Int64, batch: SyncBatch) {
    self.number = number
    self.batch = batch
  }
}

/// The messages of role sync as fields and back. Field numbers: Documentation/Protocol.md.
package enum SyncCodec {
  /// The fields of a batch behind its number. Throws `malformed(.limit)` when it is larger than a batch may be: ask the
  /// store for less at once.
  static func write(_ batch: SyncBatch, into fields: inout TLVWriter) throws(WireError) {
    guard batch.count <= Limits.batchRecords else { throw .malformed(.limit) }
    guard batch.first >= 0, batch.first < batch.last else { throw .malformed(.sequence) }
    fields.varint(4, UInt64(batch.log.rawValue))
    fields.natural(6, batch.first)
    fields.natural(8, batch.last)
    let frame = ChangeBatch(log: batch.log, first: batch.first, last: batch.last, content: .records([]))
    switch batch.content {
    case .pages(let pages): fields.bytes(12, try RecordCodec.encode(pages, of: frame))
    case .visits(let visits): fields.bytes(14, try RecordCodec.encode(visits, of: frame))
    case .records(let records):
      let stores = StoreTable(of: records)
      fields.bytes(16, stores.bytes)
      fields.bytes(18, try encode(records, stores, of: batch))
    case .rules(let rules): fields.bytes(20, try encode(rules, of: batch))
    }
  }

  static func read(_ fields: inout TLVReader) throws(WireError) -> SyncBatch {
    let log = try fields.required(4).wholeCase(of: ChangeLog.self)
    let first = try fields.required(6).wholeNatural()
    let last = try fields.required(8).wholeNatural()
    guard first < last else { throw .malformed(.sequence) }
    var batch = SyncBatch(log: log, first: first, last: last, content: .records([]))
    switch log {
    case .bookmarks, .readingList, .extensions, .passwords, .cards:
      let stores = try StoreTable(try fields.required(16))
      batch.content = .records(try records(try fields.required(18), stores, into: &batch))
      guard stores.isUsedUp else { throw .malformed(.value) }
    case .pages, .visits: try readHistory(&fields, into: &batch)
    case .forgetRules: batch.content = .rules(try rules(try fields.required(20), into: &batch))
    case .resources: throw .malformed(.value)
    }
    return batch
  }

  private static func readHistory(_ fields: inout TLVReader, into batch: inout SyncBatch) throws(WireError) {
    var changes = ChangeBatch(log: batch.log, first: batch.first, last: batch.last, content: .records([]))
    if batch.log == .pages {
      try RecordCodec.readPages(try fields.map(try fields.required(12)), into: &changes)
    } else {
      try RecordCodec.readVisits(try fields.map(try fields.required(14)), into: &changes)
    }
    batch.remarks = changes.remarks
    batch.unreadablePages = changes.unreadablePages
    switch changes.content {
    case .pages(let pages): batch.content = .pages(pages)
    case .visits(let visits): batch.content = .visits(visits)
    case .records, .resources: throw .malformed(.value)
    }
  }

  // MARK: Rules

  private static func encode(_ rules: [LoggedForgetRule], of batch: SyncBatch) throws(WireError) -> [UInt8] {
    var writer = ByteWriter()
    var previous = batch.first
    for logged in rules {
      guard logged.sequence > previous, logged.sequence <= batch.last else { throw .malformed(.sequence) }
      writer.varint(UInt64(logged.sequence - previous))
      writer.byte(logged.rule.scope.rawValue)
      writer.counted(logged.rule.text.utf8)
      writer.signed(logged.rule.from)
      writer.signed(logged.rule.to)
      previous = logged.sequence
    }
    return writer.bytes
  }

  private static func rules(
    _ value: ByteReader, into batch: inout SyncBatch
  ) throws(WireError) -> [LoggedForgetRule] {
    var value = value
    var rules: [LoggedForgetRule] = []
    var previous = batch.first
    while !value.isAtEnd {
      guard rules.count + batch.remarks.count < Limits.batchRecords else { throw .malformed(.limit) }
      let sequence = try step(from: previous, in: &value, of: batch)
      guard let scope = ForgetRule.Scope(rawValue: try value.byte()) else { throw .malformed(.value) }
      var text = try value.countedPart()
      let from = try value.signed()
      let to = try value.signed()
      previous = sequence
      guard text.remaining <= Limits.text, let words = String(validating: text.rest(), as: UTF8.self) else {
        batch.remarks.append(Remark(.skipped, type: .history, reason: "the rule's text cannot be read"))
        continue
      }
      rules.append(LoggedForgetRule(sequence: sequence, rule: ForgetRule(scope, words, from: from, to: to)))
    }
    return rules
  }

  /// The next sequence number: at least one above the last, at most the batch's.
  static func step(
    from previous: Int64, in reader: inout ByteReader, of batch: SyncBatch
  ) throws(WireError) -> Int64 {
    let step = try reader.natural()
    guard step > 0, step <= batch.last - previous else { throw .malformed(.sequence) }
    return previous + step
  }
}
