package import BrowsingData
internal import Glibc
internal import SQLite

// Copies of the whole store, made before a peer changes much of it: a week of them, at most one a day.
extension RecordStore {
  /// The folder of the copies.
  package var snapshotFolder: String { database.path + ".snapshots" }

  /// Copies the store, unless today's copy is there, and deletes those older than a week. Not inside a transaction.
  package func takeSnapshot(now: Timestamp) throws {
    try PrivateFile.makeFolder(snapshotFolder)
    let path = snapshotFolder + "/" + RecordStore.day(now) + ".sqlite"
    if access(path, F_OK) != 0 {
      let temporary = path + ".new"
      unlink(temporary)
      try mapping {
        let copy = try database.prepare("VACUUM INTO ?1")
        try copy.bind(1, temporary)
        try copy.run()
      }
      guard rename(temporary, path) == 0 else {
        throw StoreError.file(path, String(cString: strerror(errno)))
      }
    }
    for old in try snapshots().dropLast(RecordStore.keptSnapshots) { unlink(snapshotFolder + "/" + old) }
    let limit = RecordStore.day(Timestamp(microseconds: now.microseconds - 7 * 86_400_000_000))
    for old in try snapshots() where old < limit { unlink(snapshotFolder + "/" + old) }
  }

  /// The names of the copies, `YYYY-MM-DD.sqlite`, the oldest first.
  package func snapshots() throws -> [String] {
    guard let folder = opendir(snapshotFolder) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.utf8.count == 17, name.hasSuffix(".sqlite") { names.append(name) }
    }
    return names.sorted()
  }

  private static let keptSnapshots = 7

  private static func day(_ time: Timestamp) -> String {
    var seconds = time_t(time.microseconds / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 16)
    strftime(&text, text.count, "%Y-%m-%d", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
