/// Reads a LevelDB as it lies in its folder, without opening it: opening one writes. The newest entry of a key holds;
/// which files count is read from the manifest, since others may be left-overs.
struct LevelDBFolder {
  /// What is wrong with it, in words.
  struct Damage: Error {
    var reason: String
  }

  private let path: String

  /// Over a folder.
  init(_ path: String) { self.path = path }

  /// The live entries whose keys fit. A log that ends in the middle of an entry was cut off by a crash, or is being
  /// written: what is before counts.
  func entries(where isWanted: (ArraySlice<UInt8>) -> Bool) throws -> [(key: [UInt8], value: [UInt8])] {
    var newest: [[UInt8]: (sequence: UInt64, value: [UInt8]?)] = [:]
    func take(_ key: ArraySlice<UInt8>, _ sequence: UInt64, _ value: ArraySlice<UInt8>?) {
      guard isWanted(key) else { return }
      let key = Array(key)
      if let known = newest[key], known.sequence > sequence { return }
      newest[key] = (sequence, value.map { Array($0) })
    }
    let live = try liveFiles()
    for name in ProfileFile.names(in: path) {
      let parts = name.split(separator: ".")
      guard parts.count == 2, let number = UInt64(parts[0]) else { continue }
      if parts[1] == "log", number >= live.log {
        try read(name).map { try LevelDBLog(bytes: $0).writes(take) }
      } else if parts[1] == "ldb" || parts[1] == "sst", live.tables.contains(number) {
        guard let bytes = try read(name) else { throw Damage(reason: "a table is missing") }
        try LevelDBTable(bytes: bytes).entries(take)
      }
    }
    return newest.compactMap { key, entry in entry.value.map { (key: key, value: $0) } }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private func read(_ name: String) throws(ProfileError) -> [UInt8]? { try ProfileFile.read(path + "/" + name) }

  /// The numbers of the tables in use, and that of the first log that counts.
  private func liveFiles() throws -> (tables: Set<UInt64>, log: UInt64) {
    guard let current = try read("CURRENT") else { return ([], 0) }
    let name = String(decoding: current.prefix { $0 > 32 }, as: UTF8.self)
    guard name.hasPrefix("MANIFEST-"), !name.contains("/"), let manifest = try read(name) else {
      throw Damage(reason: "its manifest is missing")
    }
    var (tables, log): (Set<UInt64>, UInt64) = ([], 0)
    for record in LevelDBLog(bytes: manifest).records() {
      guard LevelDBFolder.apply(record[...], &tables, &log) else { throw Damage(reason: "its manifest is damaged") }
    }
    return (tables, log)
  }

  /// One version edit: a row of tagged fields.
  private static func apply(_ edit: ArraySlice<UInt8>, _ tables: inout Set<UInt64>, _ log: inout UInt64) -> Bool {
    var cursor = ByteCursor(edit)
    while cursor.remaining > 0 {
      switch cursor.varint() {
      case 1: if cursor.counted() == nil { return false }
      case 2:
        guard let number = cursor.varint() else { return false }
        log = number
      case 3, 4, 9: if cursor.varint() == nil { return false }
      case 5: if cursor.varint() == nil || cursor.counted() == nil { return false }
      case 6:
        guard cursor.varint() != nil, let number = cursor.varint() else { return false }
        tables.remove(number)
      case 7:
        guard cursor.varint() != nil, let number = cursor.varint(), cursor.varint() != nil, cursor.counted() != nil,
          cursor.counted() != nil
        else { return false }
        tables.insert(number)
      default: return false
      }
    }
    return true
  }
}
