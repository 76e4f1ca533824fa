import BrowsingData
import Store
import TestSupport

/// Some devices with a store each, all paired with each other.
final class SyncFixture {
  let directory = TemporaryDirectory()
  var homes: [Home] = []
  var stores: [RecordStore] = []
  /// Milliseconds; each step of a test may move it.
  var now: Int64 = 1_700_000_000_000
  /// Rows that went over the wire.
  var rows = 0

  init(_ count: Int, types: DataTypes = .all) throws {
    for index in 0..<count {
      homes.append(try Home.open(directory.file("home\(index)")))
      stores.append(try RecordStore.open(home: homes[index]))
    }
    for index in 0..<count {
      for other in 0..<count where other != index {
        try stores[index].save(
          Peer(keyHash: key(other), name: "device \(other)", types: types, pairedAt: time))
      }
    }
  }

  var time: Timestamp { Timestamp(microseconds: now * 1_000) }

  func key(_ index: Int) -> [UInt8] { [UInt8](repeating: UInt8(index + 1), count: 32) }

  func peer(_ index: Int, of other: Int) throws -> Peer { try stores[other].peer(keyHash: key(index))! }

  @discardableResult
  func take(_ index: Int, _ batches: RecordBatch...) throws -> ApplyReport {
    now += 1
    let run = try stores[index].beginImport(ImportOptions(kind: .file, label: "test", now: time))
    for batch in batches { try run.apply(batch) }
    return try run.finish()
  }

  /// A whole session between two devices; gives what each side found at the end.
  @discardableResult
  func sync(_ one: Int, _ two: Int, force: Bool = false, records: Int = 7) throws -> [SyncVerdict] {
    let time = time
    let options = SyncOptions(force: force, clock: { time })
    let runs = [
      try stores[one].beginSync(with: key(two), options), try stores[two].beginSync(with: key(one), options),
    ]
    defer { for run in runs { _ = try? run.finish() } }
    var link = SyncLink(runs, records: records)
    let verdicts = try link.run()
    rows += link.rows
    return verdicts
  }

  func tree(_ index: Int) throws -> [String] {
    var depths: [RecordID: Int] = [:]
    var lines: [String] = []
    try stores[index].list(.bookmarks) { record in
      guard case .bookmark(let one) = record else { return }
      let depth = one.parent.isRoot ? 0 : (depths[one.parent] ?? -9) + 1
      depths[one.id] = depth
      let root = depth == 0 ? "\(one.parent) " : ""
      let name = one.kind == .separator ? "----" : one.title + (one.kind == .folder ? "/" : "")
      lines.append(root + String(repeating: "  ", count: depth) + name)
    }
    return lines
  }

  func all(_ index: Int, _ type: DataType) throws -> [Record] {
    var records: [Record] = []
    try stores[index].list(type) { records.append($0) }
    return records
  }

  /// Closes a store and opens it again, as a new process would.
  func reopen(_ index: Int) throws {
    stores[index] = try RecordStore.openTemporary(in: homes[index])
    stores[index] = try RecordStore.open(home: homes[index])
  }
}

/// Carries what two runs say to each other, as a session does.
struct SyncLink {
  let runs: [SyncRun]
  let records: Int
  private(set) var rows = 0

  init(_ runs: [SyncRun], records: Int) {
    self.runs = runs
    self.records = records
  }

  /// Until nobody has anything to say.
  mutating func run() throws -> [SyncVerdict] {
    var verdicts = [SyncVerdict](repeating: .notYet, count: 2)
    try open([0, 1])
    for _ in 0..<1_000 {
      var isQuiet = true
      for side in [0, 1] {
        for log in runs[side].sends {
          while let batch = try runs[side].next(log, maximumRecords: records) {
            rows += batch.count
            isQuiet = false
            _ = try runs[1 - side].apply(batch)
          }
        }
        if let end = try runs[side].ending() {
          isQuiet = false
          verdicts[1 - side] = try runs[1 - side].hear(end)
          if case .differs(_, repairs: true) = verdicts[1 - side] { try open([1 - side]) }
        }
      }
      if isQuiet { return verdicts }
    }
    throw Endless()
  }

  private func open(_ sides: [Int]) throws {
    var open = sides.map { ($0, 3) }
    while let (side, left) = open.popLast(), left > 0 {
      if try runs[1 - side].begin(try runs[side].opening()) == .reopen { open.insert((1 - side, left - 1), at: 0) }
    }
  }

  struct Endless: Error {}
}

extension SyncLink {
  init(runs: [SyncRun]) { self.init(runs, records: 10_000) }
}
