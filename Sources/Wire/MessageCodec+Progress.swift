import BrowsingData

extension MessageCodec {
  static func encode(_ batch: Batch) throws(WireError) -> [UInt8] {
    var fields = TLVWriter()
    fields.natural(2, batch.number)
    try RecordCodec.write(batch.changes, into: &fields)
    let payload = fields.finish()
    guard payload.count <= Limits.batchPayload else { throw .malformed(.limit) }
    return payload
  }

  static func batch(_ fields: inout TLVReader, _ payload: [UInt8]) throws(WireError) -> Batch {
    guard payload.count <= Limits.batchPayload else { throw .malformed(.limit) }
    let number = try fields.required(2).wholeNatural()
    return Batch(number: number, changes: try RecordCodec.read(&fields))
  }

  static func encode(_ acknowledgement: Acknowledgement) -> [UInt8] {
    var fields = TLVWriter()
    fields.varint(2, UInt64(acknowledgement.log.rawValue))
    fields.natural(4, acknowledgement.last)
    fields.natural(6, acknowledgement.applied)
    fields.natural(8, acknowledgement.skipped)
    return fields.finish()
  }

  static func acknowledgement(_ fields: inout TLVReader) throws(WireError) -> Acknowledgement {
    Acknowledgement(
      log: try fields.required(2).wholeCase(of: ChangeLog.self), last: try fields.required(4).wholeNatural(),
      applied: try fields.required(6).wholeNatural(), skipped: try fields.required(8).wholeNatural())
  }

  static func write(_ writer: inout ByteWriter, _ end: LogEnd) {
    writer.varint(UInt64(clamping: end.cursor))
    writer.varint(UInt64(clamping: end.count))
    writer.append(end.digest.bytes)
  }

  static func readEnd(_ reader: inout ByteReader) throws(WireError) -> LogEnd {
    let cursor = try reader.natural()
    let count = try reader.natural()
    guard let digest = RecordID(bytes: try reader.slice(16)) else { throw .malformed(.value) }
    return LogEnd(cursor: cursor, count: count, digest: digest)
  }

  static func encode(_ summary: Summary) -> [UInt8] {
    var fields = TLVWriter()
    fields.map(2, summary.figures) { writer, figures in
      for number in [
        figures.found, figures.added, figures.changed, figures.unchanged, figures.skipped, figures.conflicts,
      ] { writer.varint(UInt64(clamping: number)) }
    }
    fields.map(4, summary.ends, write)
    return fields.finish()
  }

  static func summary(_ fields: inout TLVReader) throws(WireError) -> Summary {
    let figures: [DataType: ApplyReport.Figures] = try fields.required(2).wholeMap {
      (reader) throws(WireError) in
      var figures = ApplyReport.Figures()
      figures.found = Int(try reader.natural())
      figures.added = Int(try reader.natural())
      figures.changed = Int(try reader.natural())
      figures.unchanged = Int(try reader.natural())
      figures.skipped = Int(try reader.natural())
      figures.conflicts = Int(try reader.natural())
      return figures
    }
    return Summary(figures: figures, ends: try fields.required(4).wholeMap(readEnd))
  }

  static func encode(_ open: SyncOpen) -> [UInt8] {
    var fields = TLVWriter()
    fields.bytes(2, open.incarnation)
    fields.natural(4, open.counter)
    fields.varint(6, UInt64(open.types.rawValue))
    fields.map(8, open.sequences) { $0.varint(UInt64(clamping: $1)) }
    fields.map(10, open.cursors) { $0.varint(UInt64(clamping: $1)) }
    fields.field(12) { writer in
      for known in open.knows.sorted(by: { $0.incarnation.lexicographicallyPrecedes($1.incarnation) }) {
        writer.append(known.incarnation)
        writer.varint(UInt64(clamping: known.counter))
      }
    }
    return fields.finish()
  }

  static func syncOpen(_ fields: inout TLVReader) throws(WireError) -> SyncOpen {
    let incarnation = try fields.required(2).wholeBytes(16)
    let counter = try fields.required(4).wholeNatural()
    let types = try fields.required(6).wholeTypes()
    let sequences: [ChangeLog: Int64] = try fields.required(8).wholeMap(readNatural)
    let cursors: [ChangeLog: Int64] = try fields.required(10).wholeMap(readNatural)
    let knows = try fields.required(12).wholeList { (reader) throws(WireError) in
      SyncOpen.Known(incarnation: try reader.bytes(16), counter: try reader.natural())
    }
    for (left, right) in zip(knows, knows.dropFirst())
    where !left.incarnation.lexicographicallyPrecedes(right.incarnation) {
      throw .malformed(.order)
    }
    return SyncOpen(
      incarnation: incarnation, counter: counter, types: types, sequences: sequences, cursors: cursors,
      knows: knows)
  }
}
