package import BrowsingData
internal import Crypto
internal import Foundation

/// What an exporter sends, in order: frozen once it is complete, kept in a file so that another program can go on.
/// Threads append and read.
package final class ResourceList: @unchecked Sendable {
  // Reason for @unchecked: every stored property is used under the lock of `condition` only.

  /// One thing to be sent.
  package struct Item: Sendable {
    /// What it is, as it was when it was appended.
    package var entry: ResourceEntry
    /// Where it is on this machine.
    package var source: String
    /// Its first place in the log.
    package var base: Int64
    /// Whether what was sent of it is void.
    package var isAbandoned = false
    /// How often it was begun.
    package var attempt = 1
  }

  private let condition = NSCondition()
  private var items: [Item] = []
  private var places: Int64 = 0
  private var known: [String: Int] = [:]
  private var isClosed = false
  private var file: FileHandle?
  private var read: Int64 = 0
  private var changed: @Sendable () -> Void = {}
  /// What could not be taken, for the report.
  private var refused: [Remark] = []

  /// Empty.
  package init() {}

  /// Takes what another program kept in a file, if there is one; before anything else is appended. It may be appended
  /// again: what is unchanged is known.
  package func recall(from path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return }
    condition.withLock { recall(data) }
  }

  private func recall(_ data: Data) {
    let decoder = JSONDecoder()
    for line in data.split(separator: 10) {
      // The last line may be torn.
      guard let step = try? decoder.decode(Step.self, from: Data(line)) else { break }
      if let kept = step.add { insert(kept.entry, source: kept.source, attempt: kept.attempt) }
      if let index = step.abandon, items.indices.contains(index) { items[index].isAbandoned = true }
      if step.end == true { isClosed = true }
    }
  }

  // MARK: - Writing

  /// Keeps everything in a file from now on, what is known first.
  package func keep(at path: String) throws(ResourceError) {
    let steps: [Step] = condition.withLock {
      items.map { Step(add: Step.Kept($0)) } + items.indices.filter { items[$0].isAbandoned }.map { Step(abandon: $0) }
        + (isClosed ? [Step(end: true)] : [])
    }
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw .denied }
    condition.withLock { file = handle }
    for step in steps { write(step) }
  }

  /// Calls this whenever more is there.
  package func onChange(_ body: @escaping @Sendable () -> Void) { condition.withLock { changed = body } }

  /// Adds a thing; one that is known and unchanged is left where it is. Returns the place where it ends.
  @discardableResult
  package func append(_ entry: ResourceEntry, source: String) -> Int64 {
    let (place, isNew): (Int64, Bool) = condition.withLock {
      if let index = known[entry.path], items[index].entry == entry, items[index].source == source,
        !items[index].isAbandoned
      {
        return (items[index].base + entry.length, false)
      }
      insert(entry, source: source, attempt: 1)
      return (places, true)
    }
    if isNew { announce(Step(add: Step.Kept(entry: entry, source: source, attempt: 1))) }
    return place
  }

  /// What was sent of an item is void; `again`: it comes once more, as it is now.
  func abandon(_ index: Int, again: ResourceEntry?) {
    let kept: Step.Kept? = condition.withLock {
      items[index].isAbandoned = true
      guard let again else { return nil }
      let item = items[index]
      insert(again, source: item.source, attempt: item.attempt + 1)
      return Step.Kept(entry: again, source: item.source, attempt: item.attempt + 1)
    }
    announce(Step(abandon: index))
    if let kept { announce(Step(add: kept)) }
  }

  /// Notes what cannot be sent.
  package func refuse(_ reason: String) {
    condition.withLock { refused.append(Remark(.skipped, type: .resources, reason: reason)) }
  }

  /// Nothing more will be appended.
  package func close() {
    condition.withLock { isClosed = true }
    announce(Step(end: true))
  }

  private func insert(_ entry: ResourceEntry, source: String, attempt: Int) {
    known[entry.path] = items.count
    items.append(Item(entry: entry, source: source, base: places, attempt: attempt))
    places += entry.length
  }

  private func announce(_ step: Step) {
    write(step)
    let call = condition.withLock {
      condition.broadcast()
      return changed
    }
    call()
  }

  private func write(_ step: Step) {
    condition.withLock {
      guard let file, var line = try? JSONEncoder().encode(step) else { return }
      line.append(10)
      try? file.write(contentsOf: line)
    }
  }

  // MARK: - Reading

  /// Whether nothing more will be appended.
  package var isComplete: Bool { condition.withLock { isClosed } }
  /// Where the next thing would begin.
  package var end: Int64 { condition.withLock { places } }
  /// How many things there are, void ones left out.
  package var count: Int { condition.withLock { items.count { !$0.isAbandoned } } }
  /// Their bytes together.
  package var bytes: Int64 { condition.withLock { items.reduce(0) { $0 + ($1.isAbandoned ? 0 : $1.entry.size) } } }
  /// What could not be taken.
  package var remarks: [Remark] { condition.withLock { refused } }

  /// The item in which a place is, and its number; nil above all.
  func item(at place: Int64) -> (index: Int, item: Item)? {
    condition.withLock {
      guard place >= 0, place < places else { return nil }
      var low = 0
      var high = items.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if items[middle].base <= place { low = middle } else { high = middle }
      }
      return (low, items[low])
    }
  }

  /// Everything below this place has been read to be sent.
  func advance(to place: Int64) {
    condition.withLock {
      read = max(read, place)
      condition.broadcast()
    }
  }

  /// Whether a place has been read, for whoever makes its owner wait.
  package func hasRead(_ place: Int64) -> Bool { condition.withLock { read >= place } }
  /// How far it has been read: grows while the transfer makes progress.
  package var position: Int64 { condition.withLock { read } }

  /// What END says: once complete.
  package func ending() -> LogEnd {
    condition.withLock {
      var sum = ResourceSum()
      for item in items where !item.isAbandoned { sum.add(item.entry) }
      return LogEnd(cursor: places, count: sum.count, digest: sum.digest)
    }
  }
}

/// A line of the kept file.
private struct Step: Codable {
  struct Kept: Codable {
    var path: String
    var kind: UInt8
    var size: Int64
    var mode: UInt16
    var time: Int64
    var target: String?
    var source: String
    var attempt: Int

    init(_ item: ResourceList.Item) { self.init(entry: item.entry, source: item.source, attempt: item.attempt) }
    init(entry: ResourceEntry, source: String, attempt: Int) {
      path = entry.path
      kind = entry.kind.rawValue
      size = entry.size
      mode = entry.mode
      time = entry.modifiedAt.microseconds
      target = entry.target
      self.source = source
      self.attempt = attempt
    }
    var entry: ResourceEntry {
      var entry = ResourceEntry(
        path: path, kind: ResourceEntry.Kind(rawValue: kind) ?? .file, size: size, mode: mode,
        modifiedAt: Timestamp(microseconds: time))
      entry.target = target
      return entry
    }
  }
  var add: Kept?
  var abandon: Int?
  var end: Bool?
}

/// Count and sum of the things sent or received, whatever their order. The content of each has a hash of its own.
struct ResourceSum: Codable, Equatable {
  private(set) var count: Int64 = 0
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  var digest: RecordID { RecordID(high: high, low: low) }

  mutating func add(_ entry: ResourceEntry) {
    count &+= 1
    var bytes: [UInt8] = [entry.kind.rawValue]
    for text in [entry.path, entry.target ?? ""] { bytes += Array(text.utf8) + [0] }
    withUnsafeBytes(of: entry.size.bigEndian) { bytes += Array($0) }
    let hash = RecordID(bytes: Hash.blake2b(bytes, length: 16)) ?? .other
    let (sum, carry) = low.addingReportingOverflow(hash.low)
    low = sum
    high = high &+ hash.high &+ (carry ? 1 : 0)
  }
}
