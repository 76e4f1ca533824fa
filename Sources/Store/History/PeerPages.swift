internal import BrowsingData
internal import SQLite

/// A peer's page numbers, kept beside its cursor: pairs of its number and ours, four bytes each, a row for each batch.
extension RecordStore {
  func savePageNumbers(_ numbers: [Int64], _ ids: [Int64], first: Int64, peer: Int64) throws {
    guard !numbers.isEmpty else { return }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * 8)
    for (number, id) in zip(numbers, ids) {
      for value in [UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: id)] {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    let write = try statement("INSERT OR REPLACE INTO peer_page(inc, first, ids) VALUES (?1, ?2, ?3)")
    try write.bind(1, peer)
    try write.bind(2, first)
    try write.bind(3, bytes)
    try write.run()
  }

  func loadPageNumbers(peer: Int64, into map: inout PageMap) throws {
    let read = try statement("SELECT ids FROM peer_page WHERE inc = ?1 ORDER BY first")
    let url = try statement("SELECT url FROM url WHERE id = ?1")
    try read.bind(1, peer)
    while try read.step() {
      var entries: [(number: Int64, target: PageMap.Target)] = []
      for (number, id) in RecordStore.pairs(read.bytes(0) ?? []) {
        try url.bind(1, id)
        let hash = try url.step() ? url.withText(0) { $0.map { RowHash.page($0) } } : nil
        url.reset()
        entries.append((number, PageMap.Target(page: hash == nil ? 0 : id, hash: hash ?? RowHash(high: 0, low: 0))))
      }
      map.add(entries)
    }
  }

  static func pairs(_ bytes: [UInt8]) -> [(Int64, Int64)] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - 7, by: 8).map { offset in
        let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let id = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        return (Int64(number), Int64(id))
      }
    }
  }

  /// The number here of a profile's label, given at first sight; the default profile's is 0.
  func profileNumber(_ label: String) throws -> Int32 {
    if label.isEmpty { return 0 }
    let find = try statement("SELECT id FROM profile WHERE label = ?1")
    try find.bind(1, label)
    defer { find.reset() }
    if try find.step() { return Int32(truncatingIfNeeded: find.int64(0)) }
    let insert = try statement("INSERT INTO profile(label) VALUES (?1)")
    try insert.bind(1, label)
    try insert.run()
    return Int32(truncatingIfNeeded: database.lastInsertedRow)
  }
}

extension RecordStore {
  /// Writes 0 for pages that are deleted: a visit that names one makes its peer send all pages again.
  func zeroPageNumbers(_ deleted: Set<Int64>) throws {
    guard !deleted.isEmpty else { return }
    let read = try statement("SELECT inc, first, ids FROM peer_page")
    var changed: [(peer: Int64, first: Int64, ids: [UInt8])] = []
    while try read.step() {
      var bytes = read.bytes(2) ?? []
      var hasChanged = false
      for (index, pair) in RecordStore.pairs(bytes).enumerated() where deleted.contains(pair.1) {
        for offset in 4..<8 { bytes[index * 8 + offset] = 0 }
        hasChanged = true
      }
      if hasChanged { changed.append((read.int64(0), read.int64(1), bytes)) }
    }
    let write = try statement("UPDATE peer_page SET ids = ?3 WHERE inc = ?1 AND first = ?2")
    for row in changed {
      try write.bind(1, row.peer)
      try write.bind(2, row.first)
      try write.bind(3, row.ids)
      try write.run()
    }
  }
}
