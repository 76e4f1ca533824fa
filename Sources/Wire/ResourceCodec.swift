import BrowsingData

/// The log of resources as bytes and back: a list of counted maps, one for each piece.
extension RecordCodec {
  static func encode(_ pieces: [ResourcePiece], of batch: ChangeBatch) throws(WireError) -> [UInt8] {
    try checkLength(of: pieces, batch)
    var writer = ByteWriter()
    for piece in pieces {
      var fields = TLVWriter()
      switch piece {
      case .entry(let entry):
        guard entry.path.utf8.count <= Limits.path, (entry.target?.utf8.count ?? 0) <= Limits.path else {
          throw .malformed(.limit)
        }
        fields.bytes(2, encode(entry))
      case .bytes(let bytes):
        guard bytes.count <= Limits.chunk else { throw .malformed(.limit) }
        fields.bytes(4, bytes)
      case .zeros(let count): fields.natural(6, count)
      case .digest(let digest): fields.bytes(8, digest)
      case .abandoned(let count): fields.natural(10, count)
      }
      writer.counted(fields.finish())
    }
    return writer.bytes
  }

  private static func encode(_ entry: ResourceEntry) -> [UInt8] {
    var fields = TLVWriter()
    fields.text(2, entry.path)
    fields.varint(4, UInt64(entry.kind.rawValue))
    fields.natural(6, entry.size)
    fields.varint(8, UInt64(entry.mode))
    fields.signed(10, entry.modifiedAt.microseconds)
    fields.optionalText(11, entry.target)
    return fields.finish()
  }

  static func readPieces(
    _ value: ByteReader, _ fields: TLVReader, into batch: inout ChangeBatch
  ) throws(WireError) {
    var value = value
    var pieces: [ResourcePiece] = []
    while !value.isAtEnd {
      guard pieces.count < Limits.batchRecords else { throw .malformed(.limit) }
      var map = try fields.map(try value.countedPart())
      pieces.append(try piece(&map))
      try map.finish()
    }
    try checkLength(of: pieces, batch)
    batch.content = .resources(pieces)
  }

  private static func piece(_ map: inout TLVReader) throws(WireError) -> ResourcePiece {
    if let value = try map.field(2) { return .entry(try entry(try map.map(value))) }
    if var value = try map.field(4) {
      guard value.remaining > 0, value.remaining <= Limits.chunk else { throw .malformed(.limit) }
      return .bytes(Array(value.rest()))
    }
    if let value = try map.field(6) { return .zeros(try value.wholeNatural()) }
    if let value = try map.field(8) { return .digest(try value.wholeBytes(32)) }
    return .abandoned(try map.required(10).wholeNatural())
  }

  private static func entry(_ map: TLVReader) throws(WireError) -> ResourceEntry {
    var map = map
    let path = try map.required(2).wholeText(atMost: Limits.path)
    let kind = try map.required(4).wholeCase(of: ResourceEntry.Kind.self)
    let size = try map.required(6).wholeNatural()
    let mode = try map.required(8).wholeVarint()
    let modifiedAt = Timestamp(microseconds: try map.required(10).wholeSigned())
    guard mode <= 0o7777, size < Int64.max / 2, kind == .file || size == 0 else { throw .malformed(.value) }
    var entry = ResourceEntry(path: path, kind: kind, size: size, mode: UInt16(mode), modifiedAt: modifiedAt)
    entry.target = try map.field(11).map { (value) throws(WireError) in try value.wholeText(atMost: Limits.path) }
    guard (entry.target == nil) == (kind != .link) else { throw .malformed(.value) }
    try map.finish()
    return entry
  }

  /// The pieces take as many places as the batch says, none of them no place.
  private static func checkLength(of pieces: [ResourcePiece], _ batch: ChangeBatch) throws(WireError) {
    var left = batch.last &- batch.first
    for piece in pieces {
      guard piece.length > 0, piece.length <= left else { throw .malformed(.sequence) }
      left -= piece.length
    }
    guard left == 0 else { throw .malformed(.sequence) }
  }
}
