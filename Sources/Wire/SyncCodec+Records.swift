import BrowsingData

// Records with their versions: an entry is its length, then the step of the sequence number, the id, and a map.
extension SyncCodec {
  static func encode(
    _ records: [SyncRecord], _ stores: StoreTable, of batch: SyncBatch
  ) throws(WireError) -> [UInt8] {
    var writer = ByteWriter()
    var previous = batch.first
    for record in records {
      guard record.sequence > previous, record.sequence <= batch.last else { throw .malformed(.sequence) }
      var entry = ByteWriter()
      entry.varint(UInt64(record.sequence - previous))
      entry.append(record.id.bytes)
      entry.append(try encode(record, stores))
      writer.counted(entry.bytes)
      previous = record.sequence
    }
    return writer.bytes
  }

  private static func encode(_ record: SyncRecord, _ stores: StoreTable) throws(WireError) -> [UInt8] {
    var fields = TLVWriter()
    var seen = ByteWriter()
    try stores.write(record.context, to: &seen)
    fields.bytes(2, seen.bytes)
    fields.signed(4, record.newest)
    if let grave = record.grave {
      fields.field(6) { writer in
        stores.write(grave.stamp, to: &writer)
        writer.append(grave.parent.bytes)
      }
    }
    var versions = ByteWriter()
    for version in record.versions { versions.counted(try encode(version, stores)) }
    if !record.versions.isEmpty { fields.bytes(8, versions.bytes) }
    return fields.finish()
  }

  private static func encode(_ version: SyncVersion, _ stores: StoreTable) throws(WireError) -> [UInt8] {
    var writer = ByteWriter()
    stores.write(version.dot, to: &writer)
    try stores.write(version.seen, to: &writer)
    var previous: UInt64 = 0
    for field in version.fields {
      guard field.number > previous else { throw .malformed(.order) }
      writer.varint(field.number - previous)
      stores.write(field.stamp, to: &writer)
      // 0: taken away; else the length plus 1.
      writer.varint(field.value.map { UInt64($0.count) + 1 } ?? 0)
      if let value = field.value { writer.append(value) }
      previous = field.number
    }
    return writer.bytes
  }

  static func records(
    _ value: ByteReader, _ stores: StoreTable, into batch: inout SyncBatch
  ) throws(WireError) -> [SyncRecord] {
    var value = value
    var records: [SyncRecord] = []
    var previous = batch.first
    while !value.isAtEnd {
      guard records.count + batch.remarks.count < Limits.batchRecords else { throw .malformed(.limit) }
      var entry = try value.countedPart()
      let size = entry.remaining
      previous = try step(from: previous, in: &entry, of: batch)
      guard let id = RecordID(bytes: try entry.slice(16)) else { throw .malformed(.value) }
      let record = try self.record(id, previous, TLVReader(entry, depth: 2), stores)
      if let fault = fault(of: record, size: size) {
        batch.remarks.append(
          Remark(.skipped, type: batch.log.type, place: .id(id.description), reason: fault))
      } else {
        records.append(record)
      }
    }
    return records
  }

  private static func fault(of record: SyncRecord, size: Int) -> String? {
    if size > Limits.record { return "the record is larger than \(Limits.record) bytes" }
    if record.context.count > SyncRecord.maximumContext { return "the record has seen too many stores" }
    if record.versions.count > SyncRecord.maximumVersions { return "the record has too many versions" }
    return nil
  }

  private static func record(
    _ id: RecordID, _ sequence: Int64, _ map: TLVReader, _ stores: StoreTable
  ) throws(WireError) -> SyncRecord {
    var fields = map
    var seen = try fields.required(2)
    var record = SyncRecord(
      sequence: sequence, id: id, context: try stores.readSeen(from: &seen), newest: 0, versions: [])
    try seen.finish()
    record.newest = try fields.required(4).wholeSigned()
    if var value = try fields.field(6) {
      let stamp = try stores.readStamp(from: &value)
      guard let parent = RecordID(bytes: try value.slice(16)) else { throw .malformed(.value) }
      try value.finish()
      record.grave = SyncGrave(stamp: stamp, parent: parent)
    }
    if var value = try fields.field(8) {
      repeat {
        let version = try self.version(try value.countedPart(), stores)
        if let last = record.versions.last, !isBefore(last.dot, version.dot) { throw .malformed(.order) }
        record.versions.append(version)
      } while !value.isAtEnd
    }
    try fields.finish()
    return record
  }

  private static func isBefore(_ left: SyncDot, _ right: SyncDot) -> Bool {
    left.incarnation != right.incarnation ? left.incarnation < right.incarnation : left.counter < right.counter
  }

  private static func version(_ value: ByteReader, _ stores: StoreTable) throws(WireError) -> SyncVersion {
    var value = value
    let dot = try stores.read(from: &value)
    var version = SyncVersion(dot: dot, seen: try stores.readSeen(from: &value), fields: [])
    var number: UInt64 = 0
    while !value.isAtEnd {
      guard version.fields.count < Limits.fields else { throw .malformed(.depth) }
      let step = try value.varint()
      let (next, isTooLarge) = number.addingReportingOverflow(step)
      guard step > 0, !isTooLarge else { throw .malformed(.order) }
      number = next
      let stamp = try stores.readStamp(from: &value)
      let length = try value.varint()
      guard length <= UInt64(value.remaining) + 1 else { throw .malformed(.truncated) }
      let bytes = length == 0 ? nil : try value.bytes(Int(length) - 1)
      version.fields.append(SyncField(number: number, stamp: stamp, value: bytes))
    }
    return version
  }
}
