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
}
