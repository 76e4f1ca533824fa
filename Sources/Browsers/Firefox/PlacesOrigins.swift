internal import SQLite

/// The origins of new pages. What is in the file is read once; new ones are numbered here and written at the end, so that
/// a page need not wait for the database.
struct PlacesOrigins {
  private struct Key: Hashable {
    /// The prefix and the host, one after the other.
    var text: [UInt8]
    var prefixCount: Int

    func isOf(_ url: UnsafeRawBufferPointer, _ parts: PlacesAddress.Parts) -> Bool {
      prefixCount == parts.prefix.count && text.count == prefixCount + parts.host.count
        && text[..<prefixCount].elementsEqual(url[parts.prefix])
        && text[prefixCount...].elementsEqual(url[parts.host])
    }
  }

  private var rows: [Key: Int64] = [:]
  private var new: [(row: Int64, key: Key)] = []
  /// Those of the file that got a page.
  private var used: Set<Int64> = []
  private let firstRow: Int64
  /// The one asked for last: neighbours often have the same.
  private var latest: (key: Key, row: Int64)?

  /// With what is in the file.
  init(_ places: PlacesFile) throws {
    var last: Int64 = 0
    let read = try places.statement("SELECT id, prefix, host FROM moz_origins")
    while try read.step() {
      let row = read.int64(0)
      last = max(last, row)
      let (prefix, host) = (read.text(1) ?? "", read.text(2) ?? "")
      rows[Key(text: Array(prefix.utf8) + host.utf8, prefixCount: prefix.utf8.count)] = row
    }
    firstRow = try FirstFreeRow.after(last, in: PlacesSchema.file)
  }

  /// The row of an address's origin.
  mutating func row(_ url: UnsafeRawBufferPointer, _ parts: PlacesAddress.Parts) -> Int64 {
    if let latest, latest.key.isOf(url, parts) { return latest.row }
    let key = Key(text: Array(url[parts.prefix]) + url[parts.host], prefixCount: parts.prefix.count)
    let row: Int64
    if let known = rows[key] {
      row = known
      if known < firstRow { used.insert(known) }
    } else {
      row = firstRow + Int64(new.count)
      rows[key] = row
      new.append((row, key))
    }
    latest = (key, row)
    return row
  }

  /// Writes them, marked for recalculation.
  func write(to places: PlacesFile) throws {
    for (row, key) in new {
      let prefix = String(decoding: key.text[..<key.prefixCount], as: UTF8.self)
      let host = String(decoding: key.text[key.prefixCount...], as: UTF8.self)
      try places.insertOrigin(row, prefix: prefix, host: host)
    }
    for row in used.sorted() { try places.markOrigin(row) }
  }

  /// Removes those written that have no page after all: a page without visits has left them.
  func removeEmpty(from places: PlacesFile) throws {
    try places.run(
      """
      DELETE FROM moz_origins WHERE id >= ?1
        AND NOT EXISTS (SELECT 1 FROM moz_places WHERE origin_id = moz_origins.id)
      """, .number(firstRow))
  }
}
