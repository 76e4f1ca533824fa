/// Named steps that bring a database to the schema of this program, all that are missing in one transaction.
package struct DatabaseMigrator: Sendable {
  private var names: [String] = []
  private var steps: [@Sendable (Database) throws -> Void] = []

  /// One without steps.
  package init() {}

  /// Adds a step; steps run in the order in which they were added, each once in the life of a database.
  package mutating func register(_ name: String, _ step: @escaping @Sendable (Database) throws -> Void) {
    precondition(!names.contains(name), "two migrations have one name")
    names.append(name)
    steps.append(step)
  }

  /// Runs the steps that have not run yet; when one throws, none of them leaves a trace.
  package func migrate(_ database: Database) throws {
    guard try !hasCompleted(database) else { return }
    try database.transaction {
      // Looked at again: another program that opened it may have run them by now.
      let applied = try applied(in: database)
      try database.execute("CREATE TABLE IF NOT EXISTS migration(name TEXT PRIMARY KEY) WITHOUT ROWID")
      let insert = try database.prepare("INSERT INTO migration VALUES (?1)")
      for (name, step) in zip(names, steps) where !applied.contains(name) {
        try step(database)
        try insert.bind(1, name)
        try insert.run()
        insert.reset()
      }
    }
  }

  /// Whether a newer program has changed this database in a way that this one does not know.
  package func hasBeenSuperseded(_ database: Database) throws(DatabaseError) -> Bool {
    !(try applied(in: database)).isSubset(of: names)
  }

  /// Whether every step has run.
  package func hasCompleted(_ database: Database) throws(DatabaseError) -> Bool {
    let applied = try applied(in: database)
    return names.allSatisfy(applied.contains)
  }

  private func applied(in database: Database) throws(DatabaseError) -> Set<String> {
    let count = try database.int64("SELECT count(*) FROM sqlite_master WHERE type='table' AND name='migration'")
    guard count == 1 else { return [] }
    var names: Set<String> = []
    let statement = try database.prepare("SELECT name FROM migration")
    while try statement.step() { names.insert(statement.text(0) ?? "") }
    return names
  }
}
