internal import CSQLite

extension Database {
  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in a transaction that is written when it returns and undone when it throws.
  /// Inside another transaction it is a savepoint of that one.
  package func transaction<T>(_ body: () throws -> T) throws -> T {
    guard !isInTransaction else { return try savepoint(body) }
    try execute("BEGIN IMMEDIATE")
    return try ending("COMMIT", orElse: "ROLLBACK", body)
  }

  /// Runs `body` over one state of the database, whatever other connections write meanwhile.
  package func reading<T>(_ body: () throws -> T) throws -> T {
    guard !isInTransaction else { return try body() }
    try execute("BEGIN")
    return try ending("COMMIT", orElse: "ROLLBACK", body)
  }

  private func savepoint<T>(_ body: () throws -> T) throws -> T {
    try execute("SAVEPOINT inner")
    return try ending("RELEASE inner", orElse: "ROLLBACK TO inner; RELEASE inner", body)
  }

  private func ending<T>(_ commit: String, orElse rollback: String, _ body: () throws -> T) throws -> T {
    do {
      let result = try body()
      try execute(commit)
      return result
    } catch {
      // Some errors (a full disk) have undone the transaction already.
      if isInTransaction { try? execute(rollback) }
      throw error
    }
  }
}
