import BrowsingData

extension MessageCodec {
  static func encode(_ rows: SyncRows) throws(WireError) -> [UInt8] {
    var fields = TLVWriter()
    fields.natural(2, rows.number)
    fields.flag(3, true)
    try SyncCodec.write(rows.batch, into: &fields)
    let payload = fields.finish()
    guard payload.count <= Limits.batchPayload else { throw .malformed(.limit) }
    return payload
  }

  /// BATCH: of a sync when its flag says so, else of a transfer.
  static func anyBatch(_ fields: inout TLVReader, _ payload: [UInt8]) throws(WireError) -> Message {
    guard payload.count <= Limits.batchPayload else { throw .malformed(.limit) }
    let number = try fields.required(2).wholeNatural()
    if try fields.flag(3) { return .syncBatch(SyncRows(number: number, batch: try SyncCodec.read(&fields))) }
    return .batch(Batch(number: number, changes: try RecordCodec.read(&fields)))
  }

  static func encode(_ open: SyncOpening) -> [UInt8] {
    var fields = TLVWriter()
    fields.bytes(2, open.incarnation.bytes)
    fields.natural(4, open.counter)
    fields.natural(6, open.sequence)
    fields.varint(8, UInt64(open.sends.rawValue))
    fields.varint(10, UInt64(open.takes.rawValue))
    fields.field(12) { writer in
      for known in open.knows.sorted(by: { $0.incarnation < $1.incarnation }) {
        writer.append(known.incarnation.bytes)
        writer.varint(UInt64(clamping: known.counter))
      }
    }
    fields.map(14, open.cursors) { $0.varint(UInt64(clamping: $1)) }
    if let about = open.cursorsAbout { fields.bytes(15, about.bytes) }
    if !open.whole.isEmpty { fields.varint(17, bits(open.whole)) }
    if !open.unsent.isEmpty { fields.varint(19, bits(open.unsent)) }
    return fields.finish()
  }

  static func syncOpening(_ fields: inout TLVReader) throws(WireError) -> SyncOpening {
    let incarnation = try id(try fields.required(2))
    let counter = try fields.required(4).wholeNatural()
    let sequence = try fields.required(6).wholeNatural()
    let sends = try fields.required(8).wholeTypes()
    let takes = try fields.required(10).wholeTypes()
    var open = SyncOpening(incarnation: incarnation, counter: counter, sequence: sequence, sends: sends, takes: takes)
    open.knows = try fields.required(12).wholeList { (reader) throws(WireError) in
      guard let store = RecordID(bytes: try reader.slice(16)) else { throw .malformed(.value) }
      return SyncDot(incarnation: store, counter: try reader.natural())
    }
    for (left, right) in zip(open.knows, open.knows.dropFirst()) where left.incarnation >= right.incarnation {
      throw .malformed(.order)
    }
    open.cursors = try fields.required(14).wholeMap(readNatural)
    if let about = try fields.field(15) { open.cursorsAbout = try id(about) }
    if let whole = try fields.field(17) { open.whole = try logs(whole) }
    if let unsent = try fields.field(19) { open.unsent = try logs(unsent) }
    return open
  }

  static func encode(_ end: SyncEnd) -> [UInt8] {
    var fields = TLVWriter()
    fields.natural(2, end.sequence)
    fields.natural(4, end.heard)
    fields.map(6, end.digests) { $0.append($1.bytes) }
    return fields.finish()
  }

  static func syncEnd(_ fields: inout TLVReader) throws(WireError) -> SyncEnd {
    let sequence = try fields.required(2).wholeNatural()
    let heard = try fields.required(4).wholeNatural()
    let digests: [DataType: RecordID] = try fields.required(6).wholeMap { (reader) throws(WireError) in
      guard let digest = RecordID(bytes: try reader.slice(16)) else { throw .malformed(.value) }
      return digest
    }
    return SyncEnd(sequence: sequence, heard: heard, digests: digests)
  }

  private static func id(_ value: ByteReader) throws(WireError) -> RecordID {
    guard let id = RecordID(bytes: try value.wholeBytes(16)) else { throw .malformed(.value) }
    return id
  }

  /// Bit n is the log with the number n.
  private static func bits(_ logs: Set<ChangeLog>) -> UInt64 { logs.reduce(0) { $0 | 1 << UInt64($1.rawValue) } }

  private static func logs(_ value: ByteReader) throws(WireError) -> Set<ChangeLog> {
    let word = try value.wholeVarint()
    let logs = Set(ChangeLog.allCases.filter { word & 1 << UInt64($0.rawValue) != 0 })
    guard word != 0, word == bits(logs) else { throw .malformed(.value) }
    return logs
  }
}
