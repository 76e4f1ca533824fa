package import BrowsingData
internal import Crypto
internal import Merge
internal import SQLite

/// What a record's state adds to its log's digest: BLAKE2b-128 over id, dots, context, grave and newest time. An edit's
/// name stands for its content, so no hash of a password is ever kept.
enum RecordHash {
  static func of(_ id: RecordID, _ state: RecordState) -> RowHash {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + (state.versions.count + state.context.entries.count) * 24)
    bytes += id.bytes
    add(UInt64(state.versions.count), to: &bytes)
    for version in state.versions { add(version.dot, to: &bytes) }
    add(UInt64(state.context.entries.count), to: &bytes)
    for entry in state.context.entries {
      add(Dot(replica: entry.replica, counter: entry.counter), to: &bytes)
    }
    add(UInt64(bitPattern: state.newest), to: &bytes)
    if let grave = state.grave {
      bytes += grave.parent.bytes
      add(UInt64(bitPattern: grave.stamp.time), to: &bytes)
      add(grave.stamp.dot, to: &bytes)
    }
    let hash = bytes.withUnsafeBytes { Hash.blake2b128($0) }
    return RowHash(high: hash.high, low: hash.low)
  }

  private static func add(_ dot: Dot, to bytes: inout [UInt8]) {
    add(dot.replica.high, to: &bytes)
    add(dot.replica.low, to: &bytes)
    add(UInt64(bitPattern: dot.counter), to: &bytes)
  }

  private static func add(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

/// The digests of the record logs, computed from the rows.
enum RecordDigests {
  /// Writes them into a store that was made before they were kept. A row of that time has one version or none, and its
  /// author had seen all.
  static func fill(_ database: Database) throws {
    var replicas: [Int64: RecordID] = [:]
    let names = try database.prepare("SELECT no, inc FROM replica")
    while try names.step() { replicas[names.int64(0)] = try names.requiredRecordID(1) }
    func dot(_ replica: Int64, _ counter: Int64) throws -> Dot {
      guard let id = replicas[replica] else { throw StoreError.corrupt }
      return Dot(replica: id, counter: counter)
    }
    var digests: [ChangeLog: LogDigest] = [:]
    let read = try database.prepare("SELECT \(RecordRow.columns) FROM rec")
    while try read.step() {
      let row = try RecordRow(read)
      var state = RecordState()
      state.newest = row.newest
      for (replica, counter) in try ContextCodec.decode(row.context) { state.context.see(try dot(replica, counter)) }
      state.grave = try row.grave.map { try GraveCodec.decode($0, dot: dot) }
      if row.body != nil, let replica = row.replica {
        state.versions = [RecordState.Version(dot: try dot(replica, row.counter), seen: VersionVector(), fields: [])]
      }
      digests[ChangeLog(row.type), default: LogDigest()].add(RecordHash.of(row.id, state))
    }
    let write = try database.prepare("INSERT OR REPLACE INTO digest VALUES (?1, ?2, ?3)")
    for (log, digest) in digests {
      try write.bind(1, Int64(log.rawValue))
      try write.bind(2, digest.count)
      try write.bind(3, digest.sum.bytes)
      try write.run()
    }
  }
}

extension RecordStore {
  /// The digests of the record logs computed anew, to be compared with those that are kept.
  package func computedDigests() throws -> [DataType: RecordID] {
    try reading {
      var digests: [DataType: RecordID] = [:]
      for (log, digest) in try countedDigests(Set(ChangeLog.recordLogs)) { digests[log.type] = digest.sum.digest }
      return digests
    }
  }

  /// Computes the digests of these kinds anew and keeps what their rows say: after a difference, since one that is wrong
  /// here would stay one for ever. Reads all of them; gives the kinds whose digest was wrong.
  func mendDigests(_ types: [DataType]) throws -> [DataType] {
    try writing {
      let logs = Set(ChangeLog.syncLogs(of: DataTypes(types)))
      var counted = try countedDigests(logs.intersection(ChangeLog.recordLogs))
      if logs.contains(.visits) { counted.merge(try countedHistory()) { $1 } }
      var wrong: Set<DataType> = []
      for log in logs {
        let (kept, now) = (try digest(of: log), counted[log] ?? LogDigest())
        guard kept.sum != now.sum || kept.count != now.count else { continue }
        wrong.insert(log.type)
        try keep(now, of: log)
      }
      return wrong.sorted()
    }
  }

  private func countedDigests(_ logs: Set<ChangeLog>) throws -> [ChangeLog: LogDigest] {
    let states = RecordStates(self)
    var digests: [ChangeLog: LogDigest] = [:]
    for log in logs {
      let read = try database.prepare("SELECT \(RecordRow.columns) FROM rec WHERE seq BETWEEN ?1 AND ?2")
      try read.bind(1, log.sequences.lowerBound)
      try read.bind(2, log.sequences.upperBound)
      while try read.step() {
        let row = try RecordRow(read)
        let state = try states.state(of: row, opensSecrets: false)
        digests[log, default: LogDigest()].add(RecordHash.of(row.id, state))
      }
    }
    return digests
  }

  /// The digests of the record logs as they are kept.
  package func keptDigests() throws -> [DataType: RecordID] {
    try reading {
      var digests: [DataType: RecordID] = [:]
      for type in DataType.stored where type != .history {
        let digest = try digest(of: ChangeLog(type))
        if digest.count > 0 { digests[type] = digest.sum.digest }
      }
      return digests
    }
  }
}

extension ChangeLog {
  /// The logs that are ranges of the record table.
  static let recordLogs: [ChangeLog] = [.bookmarks, .readingList, .extensions, .passwords, .cards]
}
