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

  /// Where one more write goes: the newest log, and the number after the last write. nil where there is no log, which
  /// a database that was closed always has.
  func end() throws -> (log: String, sequence: UInt64)? {
    let live = try liveFiles()
    let logs = ProfileFile.names(in: path).compactMap { name -> (number: UInt64, name: String)? in
      let parts = name.split(separator: ".")
      guard parts.count == 2, parts[1] == "log", let number = UInt64(parts[0]), number >= live.log else { return nil }
      return (number, name)
    }
    guard let newest = logs.max(by: { $0.number < $1.number }) else { return nil }
    var last = live.sequence
    for log in logs {
      guard let bytes = try read(log.name) else { continue }
      try LevelDBLog(bytes: bytes).writes { _, sequence, _ in last = max(last, sequence) }
    }
    return (newest.name, last &+ 1)
  }

  /// The numbers of the tables in use, that of the first log that counts, and that of the last write in the tables.
  private func liveFiles() throws -> (tables: Set<UInt64>, log: UInt64, sequence: UInt64) {
    guard let current = try read("CURRENT") else { return ([], 0, 0) }
    let name = String(decoding: current.prefix { $0 > 32 }, as: UTF8.self)
    guard name.hasPrefix("MANIFEST-"), !name.contains("/"), let manifest = try read(name) else {
      throw Damage(reason: "its manifest is missing")
    }
    var live: (tables: Set<UInt64>, log: UInt64, sequence: UInt64) = ([], 0, 0)
    for record in LevelDBLog(bytes: manifest).records() {
      guard LevelDBFolder.apply(record[...], &live) else { throw Damage(reason: "its manifest is damaged") }
    }
    return live
  }

  /// One version edit: a row of tagged fields.
  private static func apply(
    _ edit: ArraySlice<UInt8>, _ live: inout (tables: Set<UInt64>, log: UInt64, sequence: UInt64)
  ) -> Bool {
    var cursor = ByteCursor(edit)
    while cursor.remaining > 0 {
      switch cursor.varint() {
      case 1: if cursor.counted() == nil { return false }
      case 2:
        guard let number = cursor.varint() else { return false }
        live.log = number
      case 4:
        guard let number = cursor.varint() else { return false }
        live.sequence = max(live.sequence, number)
      case 3, 9: if cursor.varint() == nil { return false }
      case 5: if cursor.varint() == nil || cursor.counted() == nil { return false }
      case 6:
        guard cursor.varint() != nil, let number = cursor.varint() else { return false }
        live.tables.remove(number)
      case 7:
        guard cursor.varint() != nil, let number = cursor.varint(), cursor.varint() != nil, cursor.counted() != nil,
          cursor.counted() != nil
        else { return false }
        live.tables.insert(number)
      default: return false
      }
    }
    return true
  }
}
