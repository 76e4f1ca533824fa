import BrowsingData
import Crypto
import Store
import TestSupport

/// A home with a store, and shorthands to import into it.
final class RecordFixture {
  let directory = TemporaryDirectory()
  let home: Home
  var store: RecordStore

  init() throws {
    home = try Home.open(directory.file("home"))
    store = try RecordStore.open(home: home)
  }

  @discardableResult
  func take(_ batches: RecordBatch..., change: (inout ImportOptions) -> Void = { _ in }) throws -> ApplyReport {
    var options = ImportOptions(kind: .file, label: "test", now: Timestamp(microseconds: 1_700_000_000_000_000))
    change(&options)
    let run = try store.beginImport(options)
    for batch in batches { try run.apply(batch) }
    return try run.finish()
  }

  /// The bookmarks, a line each, indented by depth.
  func tree() throws -> [String] {
    var depths: [RecordID: Int] = [:]
    var lines: [String] = []
    try store.list(.bookmarks) { record in
      guard case .bookmark(let one) = record else { return }
      let depth = one.parent.isRoot ? 0 : (depths[one.parent] ?? -9) + 1
      depths[one.id] = depth
      let root = depth == 0 ? "\(one.parent) " : ""
      let name = one.kind == .separator ? "----" : one.title + (one.kind == .folder ? "/" : "")
      lines.append(root + String(repeating: "  ", count: depth) + name)
    }
    return lines
  }

  func all(_ type: DataType, _ store: RecordStore? = nil) throws -> [Record] {
    var records: [Record] = []
    try (store ?? self.store).list(type) { records.append($0) }
    return records
  }

  /// Every row that a reader could see, for comparing stores before and after.
  func everything() throws -> [DataType: [Record]] {
    var all: [DataType: [Record]] = [:]
    for type in DataType.stored where type != .history { all[type] = try self.all(type) }
    return all
  }
}

/// A tree in the words of a file, made into bookmarks with the ids that a file's reader would give.
struct TreeBuilder {
  var bookmarks: [Bookmark] = []
  private var counts: [[UInt8]: Int] = [:]
  private var positions: [RecordID: Int] = [:]

  @discardableResult
  mutating func add(
    _ kind: Bookmark.Kind, _ title: String, _ parent: RecordID, url: String? = nil, added: Int64? = nil
  ) -> RecordID {
    let time = added.map { Timestamp(microseconds: $0) }
    let first = RecordIdentity.bookmark(
      kind: kind, parent: parent, title: title, url: url, dateAdded: time, occurrence: 0)
    let occurrence = counts[first.bytes, default: 0]
    counts[first.bytes] = occurrence + 1
    let identity = RecordIdentity.bookmark(
      kind: kind, parent: parent, title: title, url: url, dateAdded: time, occurrence: occurrence)
    let id = RecordID(bytes: Hash.blake2b(identity.bytes, length: 16))!
    let position = positions[parent, default: 0]
    positions[parent] = position + 1
    bookmarks.append(
      Bookmark(id: id, kind: kind, parent: parent, position: position, title: title, url: url, dateAdded: time))
    return id
  }

  /// "F/ a" is a, in folder F, below "other"; "-" a separator. A folder's name is used until another one is named.
  static func tree(_ lines: String..., root: RecordID = .other) -> [Bookmark] {
    var builder = TreeBuilder()
    var folders: [String: RecordID] = [:]
    for line in lines {
      var parent = root
      var path = ""
      let parts = line.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      for part in parts.dropLast() {
        path += part + "/"
        if folders[path] == nil { folders[path] = builder.add(.folder, part, parent) }
        parent = folders[path]!
      }
      guard let name = parts.last, !name.isEmpty else { continue }
      if name == "-" {
        builder.add(.separator, "", parent)
      } else {
        builder.add(.bookmark, name, parent, url: "http://\(name).test/")
      }
    }
    return builder.bookmarks
  }

  /// A random one; names are few, so that equal siblings are many.
  static func random(seed: UInt64, count: Int) -> [Bookmark] {
    var random = StoreRandom(seed: seed)
    var builder = TreeBuilder()
    var folders = RecordID.roots.map(\.id)
    for _ in 0..<count {
      let parent = folders[random.below(folders.count)]
      let name = "n\(random.below(6))"
      switch random.below(10) {
      case 0...2: folders.append(builder.add(.folder, name, parent))
      case 3: builder.add(.separator, "", parent)
      default:
        builder.add(
          .bookmark, name, parent, url: "http://\(random.below(4)).test/",
          added: random.below(2) == 0 ? nil : Int64(random.below(1_000)))
      }
    }
    return builder.bookmarks
  }
}

/// SplitMix64: the same numbers for the same seed.
struct StoreRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
