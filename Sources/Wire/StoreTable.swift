import BrowsingData

/// The stores that the dots of a batch name, each once: a dot is an index into it and a counter.
struct StoreTable {
  private let stores: [RecordID]
  private let indices: [RecordID: UInt64]
  private let used: Usage

  private final class Usage {
    var flags: [Bool]
    init(_ count: Int) { flags = [Bool](repeating: false, count: count) }
  }

  /// Every store that these records name, in ascending order.
  init(of records: [SyncRecord]) {
    var found: Set<RecordID> = []
    for record in records {
      for dot in record.context { found.insert(dot.incarnation) }
      if let grave = record.grave { found.insert(grave.stamp.dot.incarnation) }
      for version in record.versions {
        found.insert(version.dot.incarnation)
        for dot in version.seen { found.insert(dot.incarnation) }
        for field in version.fields { found.insert(field.stamp.dot.incarnation) }
      }
    }
    self.init(sorted: found.sorted())
  }

  private init(sorted: [RecordID]) {
    stores = sorted
    indices = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, UInt64($0)) })
    used = Usage(sorted.count)
  }

  /// From the wire: 16 bytes each, ascending.
  init(_ value: ByteReader) throws(WireError) {
    guard value.remaining % 16 == 0, value.remaining / 16 <= Limits.batchRecords else { throw .malformed(.value) }
    var value = value
    var stores: [RecordID] = []
    while !value.isAtEnd {
      guard let store = RecordID(bytes: try value.slice(16)) else { throw .malformed(.value) }
      if let last = stores.last, last >= store { throw .malformed(.order) }
      stores.append(store)
    }
    self.init(sorted: stores)
  }

  /// For the wire.
  var bytes: [UInt8] { stores.flatMap(\.bytes) }

  /// Whether every store of it was named: one that was not would have no place in the one encoding of a batch.
  var isUsedUp: Bool { used.flags.allSatisfy { $0 } }

  func write(_ dot: SyncDot, to writer: inout ByteWriter) {
    writer.varint(indices[dot.incarnation] ?? 0)
    writer.varint(UInt64(clamping: dot.counter))
  }

  func read(from reader: inout ByteReader) throws(WireError) -> SyncDot {
    let index = try reader.varint()
    guard index < UInt64(stores.count) else { throw .malformed(.value) }
    used.flags[Int(index)] = true
    let counter = try reader.natural()
    guard counter > 0 else { throw .malformed(.value) }
    return SyncDot(incarnation: stores[Int(index)], counter: counter)
  }

  /// What was seen: how many, then one dot for each store, ascending.
  func write(_ seen: [SyncDot], to writer: inout ByteWriter) throws(WireError) {
    writer.varint(UInt64(seen.count))
    for (left, right) in zip(seen, seen.dropFirst()) where left.incarnation >= right.incarnation {
      throw .malformed(.order)
    }
    for dot in seen { write(dot, to: &writer) }
  }

  func readSeen(from reader: inout ByteReader) throws(WireError) -> [SyncDot] {
    let count = try reader.varint()
    // A dot has at least two bytes.
    guard count <= UInt64(reader.remaining / 2) else { throw .malformed(.truncated) }
    var seen: [SyncDot] = []
    for _ in 0..<count {
      let dot = try read(from: &reader)
      if let last = seen.last, last.incarnation >= dot.incarnation { throw .malformed(.order) }
      seen.append(dot)
    }
    return seen
  }

  func write(_ stamp: SyncStamp, to writer: inout ByteWriter) {
    writer.signed(stamp.time)
    write(stamp.dot, to: &writer)
  }

  func readStamp(from reader: inout ByteReader) throws(WireError) -> SyncStamp {
    let time = try reader.signed()
    return SyncStamp(time: time, dot: try read(from: &reader))
  }
}
