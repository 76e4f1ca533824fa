internal import Crypto
internal import SQLite

/// A random value in the database and in a file beside it, renewed at every opening. When the two differ, the database
/// or the folder was restored from a copy, and the store must not go on under its old name.
struct Lease {
  let path: String

  /// Renews the lease; when it does not hold, the store takes a new incarnation first.
  /// A store that another process is writing has been checked by that process and is left alone.
  func renew(_ database: Database) throws {
    if try holds(database) {
      guard try lockAtOnce(database) else { return }
    } else {
      try database.execute("BEGIN IMMEDIATE")
    }
    do {
      try rotate(database)
    } catch {
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      throw error
    }
  }

  private func rotate(_ database: Database) throws {
    if try !holds(database) {
      let change = try database.prepare("UPDATE store SET incarnation = ?1")
      try change.bind(1, Random.bytes(16))
      try change.run()
    }
    let next = Random.bytes(16)
    // Old and new both hold until the database has the new one: a crash in between must not look like a restore.
    try PrivateFile.write(try current(database) + next, to: path)
    let change = try database.prepare("UPDATE store SET lease = ?1")
    try change.bind(1, next)
    try change.run()
    try database.execute("COMMIT")
    try forget(allBut: next, database)
  }

  /// Takes the old value out of the file, under the database's lock and only while the new one holds: whoever has opened
  /// the store meanwhile has renewed the lease in its turn, and the file is theirs. When the lock is not to be had, the next
  /// opening does it.
  private func forget(allBut lease: [UInt8], _ database: Database) throws {
    guard try lockAtOnce(database) else { return }
    if try current(database) == lease { try PrivateFile.write(lease, to: path) }
    try database.execute("ROLLBACK")
  }

  /// Takes the database's lock; false, at once, when another connection has it.
  private func lockAtOnce(_ database: Database) throws -> Bool {
    database.setBusyTimeout(milliseconds: 0)
    defer { database.setBusyTimeout(milliseconds: 5_000) }
    do {
      try database.execute("BEGIN IMMEDIATE")
      return true
    } catch let failure where failure.code == .busy {
      return false
    }
  }

  private func holds(_ database: Database) throws -> Bool {
    guard let file = try PrivateFile.read(path) else { return false }
    let lease = try current(database)
    return stride(from: 0, to: file.count - 15, by: 16).contains { Array(file[$0..<$0 + 16]) == lease }
  }

  private func current(_ database: Database) throws -> [UInt8] {
    let statement = try database.prepare("SELECT lease FROM store")
    guard try statement.step() else { return [] }
    return statement.bytes(0) ?? []
  }
}
