package import BrowsingData
internal import Merge
internal import SQLite

/// This device's records, what changed and in which order, and how far each peer has come.
/// One connection to one database, used by one thread at a time; open another store for another thread.
package final class RecordStore {
  let database: Database
  /// What names this store's edits and sequence numbers; another after a restore.
  package internal(set) var replica: RecordID
  /// The same as 16 bytes.
  package var incarnation: [UInt8] { replica.bytes }
  /// Seals the secret fields of this store's records.
  package let seal: FieldSeal
  /// Where the damaged store went that was found at opening; nil when there was none. To be said to the person.
  package let setAside: String?
  /// The store's file.
  package var path: String { database.path }
  /// A folder that goes with the store (a temporary one).
  let folder: String?
  /// The counters, true while a transaction of this connection writes.
  var counters: Counters?
  /// What the running transaction changes of the record logs' digests.
  var pendingDigests: [ChangeLog: LogDigest] = [:]
  /// The sequence up to which every page is known to have been read: visits above it may name pages that were not.
  var pageHorizon: Int64?
  /// The rules by which visits are forgotten, and the last one's sequence.
  var readRules: (rules: ForgetRules, sequence: Int64)?
  private var checkpointer: Checkpointer?
  private var pageTable: PageTable?
  private var visitTable: VisitTable?
  private var statements: [String: Statement] = [:]

  init(database: Database, replica: RecordID, seal: FieldSeal, setAside: String?, folder: String?) {
    self.database = database
    self.replica = replica
    self.seal = seal
    self.setAside = setAside
    self.folder = folder
  }

  deinit {
    statements = [:]
    checkpointer?.finish()
    if let folder { PrivateFile.removeFolder(folder) }
  }

  /// A compiled statement, kept for the next time; reset and without parameters.
  func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] {
      known.reset()
      known.clear()
      return known
    }
    let made = try database.prepare(sql)
    statements[sql] = made
    return made
  }

  /// The table of pages on their way in: one for the life of the connection, since compiled statements hold it.
  func incomingPages() throws -> PageTable {
    if let pageTable { return pageTable }
    let table = PageTable()
    try database.register(table, as: PageTable.name, columns: PageTable.columns)
    pageTable = table
    return table
  }

  /// The table of visits on their way in.
  func incomingVisits() throws -> VisitTable {
    if let visitTable { return visitTable }
    let table = VisitTable()
    try database.register(table, as: VisitTable.name, columns: VisitTable.columns)
    visitTable = table
    return table
  }

  /// From now on the write-ahead log is carried over on a thread of its own.
  func checkpointInBackground() {
    guard checkpointer == nil else { return }
    let made = Checkpointer(path: database.path)
    checkpointer = made
    database.observeCommits { made.note(pages: $0) }
  }

  /// Turns SQLite's errors into the store's; others pass. Damage is noted, so that the next opening looks for it.
  func mapping<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch {
      // One that was left in the middle of its rows would hold this connection to the state they were read from.
      for statement in statements.values { statement.reset() }
      guard let error = error as? DatabaseError else { throw error }
      let failure = StoreError(error, path: database.path)
      if failure == .corrupt { try? PrivateFile.write([], to: RecordStore.suspicion(of: database.path)) }
      throw failure
    }
  }

  /// A file beside the store that says: it was found damaged while it was used.
  static func suspicion(of path: String) -> String { path + ".suspect" }

  /// Runs `body` over one state of the store.
  func reading<T>(_ body: () throws -> T) throws -> T {
    try mapping { try database.reading(body) }
  }
}
