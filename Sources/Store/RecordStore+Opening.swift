internal import Crypto
internal import Glibc
internal import SQLite

extension RecordStore {
  /// Opens this device's own store, and makes it when there is none. A damaged one is renamed, never deleted, and a new
  /// one begun (`setAside`); one that a newer Wherry has changed is refused and left as it is.
  package static func open(home: Home) throws(StoreError) -> RecordStore {
    try open(home.storePath, home: home, lease: Lease(path: home.state + "/store.lease"))
  }

  /// Opens, or makes, the own store of one transfer in a folder of its own (`Home.transferFolder`).
  package static func open(transferFolder: String, home: Home) throws(StoreError) -> RecordStore {
    try PrivateFile.makeFolder(transferFolder)
    let store = try open(transferFolder + "/store.sqlite", home: home, lease: nil)
    // Its history is runs that are written and read once, and gone with the folder soon: pages that are kept would only take
    // memory, and a log that is carried over (here at 128 MiB) only wait for the disk.
    do {
      try store.database.execute("PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 8000")
      store.database.leaveLogOnClosing()
    } catch {
      throw StoreError(error, path: store.path)
    }
    return store
  }

  /// Deletes a transfer's own store; nobody may have it open.
  package static func delete(transferFolder: String) { PrivateFile.removeFolder(transferFolder) }

  /// Makes a store that goes when the last reference does.
  package static func openTemporary(in home: Home) throws(StoreError) -> RecordStore {
    let folder = home.data + "/temporary-" + hexadecimalName()
    try PrivateFile.makeFolder(folder)
    return try open(folder + "/store.sqlite", home: home, lease: nil, folder: folder)
  }

  private static func hexadecimalName() -> String {
    Random.bytes(8).map { String(UInt32($0) + 256, radix: 16).dropFirst() }.joined()
  }

  private static func open(
    _ path: String, home: Home, lease: Lease?, folder: String? = nil
  ) throws(StoreError) -> RecordStore {
    try PrivateFile.requirePrivate(path)
    let key = try FieldSeal.key(of: home)
    do {
      return try open(path, key: key, lease: lease, folder: folder, setAside: nil)
    } catch .corrupt {
      let setAside = try setAside(path)
      return try open(path, key: key, lease: lease, folder: folder, setAside: setAside)
    }
  }

  private static func open(
    _ path: String, key: SecureBytes, lease: Lease?, folder: String?, setAside: String?
  ) throws(StoreError) -> RecordStore {
    do {
      try refuseNewer(path)
      try PrivateFile.touch(path)
      let database = try Database(path: path, mode: .create)
      try examine(database, path)
      try StoreSchema.configure(database)
      try StoreSchema.migrator.migrate(database)
      try begin(database)
      try lease?.renew(database)
      let read = try database.prepare("SELECT id, incarnation FROM store")
      guard try read.step(), let id = read.bytes(0), let replica = try read.recordID(1) else {
        throw StoreError.corrupt
      }
      return RecordStore(
        database: database, replica: replica, seal: FieldSeal(key: key, storeID: id), setAside: setAside,
        folder: folder)
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch {
      throw .corrupt
    }
  }

  /// Reads all of a store that was found damaged while it was used.
  private static func examine(_ database: Database, _ path: String) throws {
    let suspicion = suspicion(of: path)
    guard access(suspicion, F_OK) == 0 else { return }
    guard try database.text("PRAGMA quick_check(1)") == "ok" else {
      unlink(suspicion)
      throw StoreError.corrupt
    }
    unlink(suspicion)
  }

  /// Looked at without a chance to write.
  private static func refuseNewer(_ path: String) throws {
    guard access(path, F_OK) == 0 else { return }
    let database = try Database(path: path, mode: .readOnly)
    if try StoreSchema.migrator.hasBeenSuperseded(database) { throw StoreError.newerSchema }
  }

  private static func begin(_ database: Database) throws {
    guard try database.int64("SELECT count(*) FROM store") == 0 else { return }
    try database.transaction {
      let insert = try database.prepare(
        "INSERT INTO store SELECT ?1, ?2, 0, 0, ?3 WHERE NOT EXISTS (SELECT 1 FROM store)")
      for index: Int32 in 1...3 { try insert.bind(index, Random.bytes(16)) }
      try insert.run()
    }
  }

  private static func setAside(_ path: String) throws(StoreError) -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    let stamp = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var target = path + ".damaged-" + stamp
    var number = 1
    while access(target, F_OK) == 0 {
      number += 1
      target = path + ".damaged-" + stamp + "-\(number)"
    }
    for suffix in ["-wal", "-shm", ""] {
      guard rename(path + suffix, target + suffix) != 0, errno != ENOENT else { continue }
      throw .readOnly(path)
    }
    return target
  }
}
