import BrowsingData
import Foundation
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

  /// A whole session between two devices; gives what each side found at the end. `cut`: after so many batches and ends.
  @discardableResult
  func sync(
    _ one: Int, _ two: Int, force: Bool = false, records: Int = 7, cut: Int? = nil
  ) throws -> [SyncVerdict] {
    let time = time
    let options = SyncOptions(force: force, clock: { time })
    let runs = [
      try stores[one].beginSync(with: key(two), options), try stores[two].beginSync(with: key(one), options),
    ]
    defer { for run in runs { _ = try? run.finish() } }
    var link = SyncLink(runs, records: records)
    link.left = cut ?? .max
    defer { rows += link.rows }
    return try link.run()
  }

  @discardableResult
  func edit(_ index: Int, _ body: (RecordEdits) throws -> Void) throws -> ApplyReport {
    now += 1
    return try stores[index].edit(label: "test", now: time, body)
  }

  /// The id of the first bookmark or folder with this title.
  func id(_ title: String, _ index: Int) throws -> RecordID {
    var found: RecordID?
    try stores[index].shownBookmarks().walk { if $0.title == title, found == nil { found = $0.id } }
    return try found ?? { throw NotFound() }()
  }

  struct NotFound: Error {}

  /// Copies a device's home, or only its data, while nobody has it open.
  func copyHome(_ index: Int, to path: String, dataOnly: Bool = false) throws {
    try close(index)
    try? FileManager.default.removeItem(atPath: path)
    let from = directory.file("home\(index)") + (dataOnly ? "/data" : "")
    try FileManager.default.copyItem(atPath: from, toPath: path)
    stores[index] = try RecordStore.open(home: homes[index])
  }

  /// Puts a device's home, or only its data, back to what was copied.
  func restoreHome(_ index: Int, from path: String, dataOnly: Bool = false) throws {
    try close(index)
    let target = directory.file("home\(index)") + (dataOnly ? "/data" : "")
    try FileManager.default.removeItem(atPath: target)
    try FileManager.default.copyItem(atPath: path, toPath: target)
    homes[index] = try Home.open(directory.file("home\(index)"))
    stores[index] = try RecordStore.open(home: homes[index])
  }

  /// A store must not be open while its files are moved: another one takes its place.
  private func close(_ index: Int) throws {
    let spare = try Home.open(directory.file("spare"))
    stores[index] = try RecordStore.openTemporary(in: spare)
  }

  /// Records in an order that is the same on every device.
  private func compared(_ index: Int, _ type: DataType) throws -> [Record] {
    let records = try all(index, type)
    return type == .bookmarks ? records : records.sorted { "\($0)" < "\($1)" }
  }

  /// Whether all devices show the same and their digests are those of their rows.
  func differences(_ devices: Range<Int>? = nil) throws -> [String] {
    var found: [String] = []
    let devices = devices ?? 0..<stores.count
    for index in devices {
      if try stores[index].keptDigests() != stores[index].computedDigests() { found.append("digest of \(index)") }
      for type in DataType.stored where try compared(index, type) != compared(devices.lowerBound, type) {
        found.append("\(type) of \(index)")
      }
      if try stores[index].keptDigests() != stores[devices.lowerBound].keptDigests() {
        found.append("digests of \(index) and the first")
      }
    }
    return found
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
    try close(index)
    stores[index] = try RecordStore.open(home: homes[index])
  }
}

/// Carries what two runs say to each other, as a session does.
struct SyncLink {
  let runs: [SyncRun]
  let records: Int
  private(set) var rows = 0
  /// The link breaks after so many messages.
  var left = Int.max

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
            try count()
            _ = try runs[1 - side].apply(batch)
          }
        }
        if let end = try runs[side].ending() {
          isQuiet = false
          try count()
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

  private mutating func count() throws {
    left -= 1
    if left < 0 { throw Cut() }
  }

  struct Endless: Error {}
  struct Cut: Error {}
}

extension SyncLink {
  init(runs: [SyncRun]) { self.init(runs, records: 10_000) }
}
