import BrowsingData
import Wire

extension FuzzTarget {
  /// A stream after authentication, whole and then byte by byte: both must say the same.
  static let frame = FuzzTarget(name: "frame") { bytes in
    var whole = MessageDecoder(isAuthenticated: true)
    whole.feed(bytes)
    let expected = answers(&whole)
    var slow = MessageDecoder(isAuthenticated: true)
    var found: [Answer] = []
    for byte in bytes {
      slow.feed([byte])
      found += answers(&slow)
      if case .fault? = found.last { break }
    }
    require(found == expected, "byte by byte is the same as whole")
  }

  /// A message: its number in two bytes, then its payload. What is taken is written again as the same value.
  static let message = FuzzTarget(name: "message") { bytes in
    guard bytes.count >= 2 else { return }
    let number = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    let payload = Array(bytes.dropFirst(2))
    let message = try MessageCodec.decode(number, payload)
    if case .unknown = message { return }
    if case .batch(let batch) = message, !batch.changes.remarks.isEmpty { return }
    if case .syncBatch(let rows) = message, !rows.batch.remarks.isEmpty { return }
    let again = try MessageCodec.encode(message)
    require(again == payload || again.count < payload.count, "only what is ignored may be missing")
    require(try MessageCodec.decode(number, again) == message, "the same value comes back")
  }

  /// A run of a change log.
  static let batch = FuzzTarget(name: "batch") { bytes in
    let batch = try RecordCodec.decode(bytes)
    require(batch.count + batch.remarks.count <= Limits.batchRecords, "no more rows than a batch may have")
    if !batch.remarks.isEmpty { return }
    let again = try RecordCodec.encode(batch)
    require(again == bytes || again.count < bytes.count, "only what is ignored may be missing")
    require(try RecordCodec.decode(again) == batch, "the same value comes back")
  }

  /// A compressed payload.
  static let compression = FuzzTarget(name: "compression") { bytes in
    let payload = try BatchDecompressor().decompress(bytes)
    require(payload.count <= Limits.payload, "no more than the limit")
    if let small = BatchCompressor().compress(payload) {
      require(try BatchDecompressor().decompress(small) == payload, "the same bytes come back")
    }
  }

  private enum Answer: Equatable {
    case message(Message)
    case fault(WireError)
  }

  private static func answers(_ decoder: inout MessageDecoder) -> [Answer] {
    var result: [Answer] = []
    while true {
      do {
        guard let message = try decoder.next() else { return result }
        result.append(.message(message))
      } catch {
        return result + [.fault(error)]
      }
    }
  }
}
