internal import BrowsingData
internal import SQLite

/// The two numbers that only grow: the last dot and the last row sequence.
struct Counters {
  var dot: Int64
  var sequence: Int64
}

extension RecordStore {
  /// Runs `body` in a write transaction in which sequence numbers can be taken; inside another one it is a part of it.
  func writing<T>(_ body: () throws -> T) throws -> T {
    if counters != nil { return try body() }
    return try mapping {
      try beginWriting()
      do {
        let result = try body()
        try commitWriting()
        return result
      } catch {
        rollBack()
        throw error
      }
    }
  }

  /// The same, and it is on the disk when this returns, even if the power fails.
  func writingDurably<T>(_ body: () throws -> T) throws -> T {
    if counters != nil { return try body() }
    try mapping { try database.execute("PRAGMA synchronous = FULL") }
    defer { try? database.execute("PRAGMA synchronous = NORMAL") }
    return try writing(body)
  }

  func beginWriting() throws {
    try database.execute("BEGIN IMMEDIATE")
    let read = try statement("SELECT n, seq, incarnation FROM store")
    guard try read.step(), let name = try? read.recordID(2) else {
      try? database.execute("ROLLBACK")
      throw StoreError.corrupt
    }
    counters = Counters(dot: read.int64(0), sequence: read.int64(1))
    // Another process may have found that the store was restored, and renamed it.
    replica = name
    read.reset()
  }

  func commitWriting() throws {
    try flushDigests()
    if let counters {
      let write = try statement("UPDATE store SET n = ?1, seq = ?2 WHERE n <> ?1 OR seq <> ?2")
      try write.bind(1, counters.dot)
      try write.bind(2, counters.sequence)
      try write.run()
    }
    try database.execute("COMMIT")
    counters = nil
  }

  func rollBack() {
    counters = nil
    pendingDigests = [:]
    readRules = nil
    if database.isInTransaction { try? database.execute("ROLLBACK") }
  }

  /// Takes the next row sequence. Only inside `writing`.
  func nextSequence() -> Int64 { takeSequences(1) + 1 }

  /// Takes the next row sequence of a change log of the record table: the log's number in the upper 16 bits.
  func nextSequence(_ log: ChangeLog) -> Int64 { Int64(log.rawValue) << 48 | nextSequence() }

  /// Takes `count` row sequences: those after the one returned.
  func takeSequences(_ count: Int) -> Int64 {
    precondition(counters != nil, "a sequence is taken outside of a write transaction")
    let before = counters?.sequence ?? 0
    counters?.sequence += Int64(count)
    return before
  }

  /// Takes the next dot: greater than all before and at least the time in microseconds. Only inside `writing`.
  func nextDot(now: Int64) -> Int64 {
    precondition(counters != nil, "a dot is taken outside of a write transaction")
    let dot = max((counters?.dot ?? 0) + 1, now)
    counters?.dot = dot
    return dot
  }

  /// The local number of an incarnation, given at first sight. Only inside `writing`.
  func replicaNumber(_ incarnation: [UInt8]) throws -> Int64 {
    let find = try statement("SELECT no FROM replica WHERE inc = ?1")
    try find.bind(1, incarnation)
    if try find.step() {
      defer { find.reset() }
      return find.int64(0)
    }
    let add = try statement("INSERT INTO replica(inc) VALUES (?1)")
    try add.bind(1, incarnation)
    try add.run()
    return database.lastInsertedRow
  }
}
