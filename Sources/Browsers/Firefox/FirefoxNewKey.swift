internal import Crypto
internal import SQLite

/// A key that key4.db does not have yet and that is made as NSS would make it at the first login or card.
struct FirefoxNewKey {
  /// What it is for.
  enum Use {
    case logins
    case cards
  }

  /// The id of the key for logins: NSS finds it by that.
  static let loginKeyID: [UInt8] = [0xF8] + [UInt8](repeating: 0, count: 14) + [0x01]

  let use: Use
  let key: [UInt8]

  /// A random one: AES-256 for logins, AES-128 for cards.
  init(for use: Use) {
    self.use = use
    key = Random.bytes(use == .logins ? 32 : 16)
  }

  /// The attributes of the object but for its value, as Firefox 153 writes them.
  private var attributes: [(column: String, value: [UInt8])] {
    let (yes, no): ([UInt8], [UInt8]) = ([1], [0])
    let isLogin = use == .logins
    return [
      ("a0", [0, 0, 0, 4]), ("a1", yes), ("a2", isLogin ? yes : no),
      ("a3", isLogin ? FirefoxKeys.emptyValue : FirefoxKeys.cardKeyLabel), ("a100", [0, 0, 0, 0x1F]),
      ("a102", isLogin ? FirefoxNewKey.loginKeyID : FirefoxKeys.emptyValue), ("a103", no), ("a104", yes),
      ("a105", yes), ("a106", yes), ("a107", yes), ("a108", isLogin ? yes : no), ("a10a", no),
      ("a110", FirefoxKeys.emptyValue), ("a111", FirefoxKeys.emptyValue), ("a161", [0, 0, 0, UInt8(key.count)]),
      ("a162", yes), ("a163", no), ("a164", no), ("a165", isLogin ? yes : no), ("a170", yes),
    ]
  }

  /// Writes keys into key4.db, all or none, wrapped and signed as the others are.
  static func write(_ keys: [FirefoxNewKey], to path: String, _ wrapping: FirefoxKeys.Wrapping) throws(ProfileError) {
    do {
      let database = try Database.foreignForWriting(path: path, tables: ["metaData", "nssPrivate"])
      try database.execute("PRAGMA synchronous = FULL")
      try database.transaction {
        for key in keys { try key.insert(into: database, wrapping) }
      }
    } catch let error as DatabaseError {
      throw ProfileError(error, file: FirefoxKeys.file)
    } catch {
      throw .unwritable(file: FirefoxKeys.file, reason: "a key could not be made")
    }
  }

  private func insert(into database: Database, _ wrapping: FirefoxKeys.Wrapping) throws {
    let isTaken = try database.prepare("SELECT 1 FROM nssPrivate WHERE id = ?1")
    var id: Int64 = 0
    repeat {
      isTaken.reset()
      id = Int64(Random.uniform(below: 0x3FFF_FFFE)) + 1
      try isTaken.bind(1, id)
    } while try isTaken.step()
    let columns = (["id", "a11"] + attributes.map(\.column)).joined(separator: ", ")
    let places = (1...(attributes.count + 2)).map { "?\($0)" }.joined(separator: ", ")
    let insert = try database.prepare("INSERT INTO nssPrivate(\(columns)) VALUES (\(places))")
    try insert.bind(1, id)
    try insert.bind(2, try WrappedKey.seal(key, wrapping))
    for (index, attribute) in attributes.enumerated() { try insert.bind(Int32(index + 3), attribute.value) }
    try insert.run()
    let digits = String(id, radix: 16)
    let name = "sig_key_" + String(repeating: "0", count: 8 - digits.count) + digits + "_00000011"
    let sign = try database.prepare("INSERT INTO metaData(id, item1) VALUES (?1, ?2)")
    try sign.bind(1, name)
    try sign.bind(2, try WrappedKey.sign(key, wrapping))
    try sign.run()
  }
}
