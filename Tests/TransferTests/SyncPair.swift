import BrowsingData
import Channel
import Crypto
import Foundation
import Store
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transfer

/// Homes that know each other, and what lies in them.
struct PairedHomes {
  let folder = TemporaryDirectory()
  private(set) var homes: [Home]

  init(_ count: Int, types: DataTypes = .withoutSecrets) throws {
    let folder = folder
    homes = try (0..<count).map { try Home.open(folder.file("home\($0)")) }
    for (index, home) in homes.enumerated() {
      let store = try RecordStore.open(home: home)
      for (other, id) in try ids.enumerated() where other != index {
        try store.save(Peer(keyHash: id.bytes, name: "device \(other)", types: types, pairedAt: WallClock.now))
      }
    }
  }

  /// A machine with everything that another one has, as a copied disk gives it.
  mutating func clone(_ index: Int) throws {
    try copy(folder.file("home\(index)"), to: folder.file("home\(homes.count)"))
    homes.append(try Home.open(folder.file("home\(homes.count)")))
  }

  /// Copies a home or its data once nobody has the store open: a thread of the last session may still be closing it.
  func copy(_ place: String, to target: String) throws {
    let end = Date(timeIntervalSinceNow: 20)
    while try FileManager.default.subpathsOfDirectory(atPath: place).contains(where: { $0.hasSuffix("-wal") }),
      Date() < end
    {
      usleep(10_000)
    }
    try FileManager.default.copyItem(atPath: place, toPath: target)
  }

  /// Makes two know each other, as pairing does.
  func pair(_ one: Int, _ two: Int) throws {
    for (index, other) in [(one, two), (two, one)] {
      try DeviceBook(RecordStore.open(home: homes[index])).pin(ids[other], types: .withoutSecrets)
    }
  }

  /// One round of two of them over loopback; what each found, the one that is dialed first.
  func sync(_ one: Int, _ two: Int, force: Bool = false) throws -> [SyncOutcome] {
    let listener = RunningSync(
      self, one,
      SyncPlan(
        devices: [try ids[two]], stays: false, listen: [Endpoint(host: "127.0.0.1", port: 0)],
        at: RunningSync.nowhere, force: force))
    guard let address = listener.observer.address else { throw TransferError(.failed, "nobody listens") }
    let dialer = RunningSync(
      self, two, SyncPlan(devices: [try ids[one]], stays: false, at: [address], force: force))
    return try listener.outcomes() + dialer.outcomes()
  }

  func delete(_ titles: [String], at index: Int) throws {
    let store = try RecordStore.open(home: homes[index])
    var ids: [RecordID] = []
    try store.list(.bookmarks) { if case .bookmark(let one) = $0, titles.contains(one.title) { ids.append(one.id) } }
    try store.edit(label: "test") { edits in for id in ids { try edits.delete(bookmark: id) } }
  }

  var ids: [PeerID] { get throws { try homes.map { try DeviceIdentity.open(folder: $0.config).peerID } } }

  /// Puts bookmarks below "other" into a home's store.
  func add(_ titles: [String], to index: Int) throws {
    let run = try RecordStore.open(home: homes[index]).beginImport(ImportOptions(kind: .file, label: "test"))
    let bookmarks = titles.enumerated().map { position, title in
      var bookmark = Bookmark(
        id: RecordID(high: UInt64(index + 1), low: UInt64(abs(title.hashValue))), kind: .bookmark, parent: .other,
        position: position, title: title)
      bookmark.url = "https://\(title).test/"
      return bookmark
    }
    try run.apply(.bookmarks(bookmarks))
    _ = try run.finish()
  }

  func visit(_ visits: [HistoryVisit], at index: Int) throws {
    let run = try RecordStore.open(home: homes[index]).beginImport(ImportOptions(kind: .file, label: "test"))
    try run.apply(.history(visits))
    _ = try run.finish()
  }

  func titles(_ index: Int) throws -> [String] {
    var titles: [String] = []
    try RecordStore.open(home: homes[index]).list(.bookmarks) {
      if case .bookmark(let bookmark) = $0 { titles.append(bookmark.title) }
    }
    return titles
  }

  func setting(_ index: Int, stop: StopSignal) -> SessionSetting {
    SessionSetting(home: homes[index], name: "home \(index)", software: "test", person: Agreeable(), stop: stop)
  }
}

/// Remembers what a sync told.
final class Listening: SyncObserver {
  private let events = Mutex<[SyncEvent]>([])
  private let condition = NSCondition()

  func hear(_ event: SyncEvent) {
    events.withLock { $0.append(event) }
    condition.withLock { condition.broadcast() }
  }

  /// Waits for an event that gives a value; nil after a while.
  func wait<T>(for value: (SyncEvent) -> T?) -> T? {
    let end = Date(timeIntervalSinceNow: 30)
    return condition.withLock {
      while true {
        let heard = events.withLock { $0 }
        if let found = heard.lazy.compactMap(value).first { return found }
        if !condition.wait(until: end) { return nil }
      }
    }
  }

  func count(_ isMeant: (SyncEvent) -> Bool) -> Int { events.withLock { $0 }.count(where: isMeant) }

  var address: Endpoint? {
    wait { if case .listening(let addresses) = $0 { addresses.first.flatMap { Endpoint($0) } } else { nil } }
  }
  var isInStep: Bool { wait { if case .inStep = $0 { true } else { nil } } ?? false }
}

/// A sync on a thread of its own.
final class RunningSync: @unchecked Sendable {
  let observer = Listening()
  let stop = StopSignal()
  private let condition = NSCondition()
  private var result: Result<[SyncOutcome], TransferError>?

  init(_ homes: PairedHomes, _ index: Int, _ plan: SyncPlan) {
    let setting = homes.setting(index, stop: stop)
    Thread.detachNewThread { [self] in
      let found: Result<[SyncOutcome], TransferError>
      do throws(TransferError) {
        found = .success(try SyncSession(setting, plan, observer: observer).run())
      } catch {
        found = .failure(error)
      }
      condition.withLock {
        result = found
        condition.broadcast()
      }
    }
  }

  /// Listens on loopback.
  static func listening(_ homes: PairedHomes, _ index: Int, stays: Bool = false) -> RunningSync {
    RunningSync(homes, index, SyncPlan(stays: stays, listen: [Endpoint(host: "127.0.0.1", port: 0)], at: nowhere))
  }

  /// Where nobody listens: a test never searches the network.
  static let nowhere = [Endpoint(host: "127.0.0.1", port: 1)]

  /// Waits for its end.
  func outcomes() throws -> [SyncOutcome] {
    let end = Date(timeIntervalSinceNow: 60)
    return try condition.withLock {
      while result == nil { if !condition.wait(until: end) { throw TransferError(.failed, "the sync hangs") } }
      guard let result else { throw TransferError(.failed, "no result") }
      return try result.get()
    }
  }

  /// Stops it and waits for its end.
  func end() {
    stop.stop()
    _ = try? outcomes()
  }
}

/// Both parts of a sync in one thread, joined by two pipes of which one may be cut after a number of bytes.
final class InMemorySync {
  private let homes: PairedHomes
  private let waker: Waker
  /// Rows in batches that arrived.
  private(set) var rows = 0
  /// Bytes sent by each end on the last connection.
  private(set) var bytes = [0, 0]

  init(_ homes: PairedHomes) throws {
    self.homes = homes
    waker = try Waker()
  }

  /// One connection, cut after so many bytes of one end; whether both came to a good end.
  func connect(cut: (end: Int, bytes: Int)? = nil) throws -> Bool {
    let ids = try homes.ids
    var parts: [SyncPart] = []
    var workers: [SyncWorker] = []
    for index in 0..<2 {
      let answers = Mailbox<SyncWorker.Answer>(waker: waker)
      let (home, key) = (homes.homes[index], ids[1 - index].bytes)
      let worker = SyncWorker(queue: ImmediateQueue(), answers: answers, note: { _ in }) {
        try RecordStore.open(home: home).beginSync(with: key, SyncOptions())
      }
      workers.append(worker)
      parts.append(SyncPart(stays: false, worker: worker, answers: answers) { _, _ in })
    }
    defer { for worker in workers { _ = worker.finish() } }
    bytes = [0, 0]
    var decoders = [MessageDecoder(isAuthenticated: true), MessageDecoder(isAuthenticated: true)]
    for part in parts { part.start() }
    while true {
      var isMoving = false
      for end in 0..<2 {
        parts[end].collect()
        var sent = parts[end].takeFrames().flatMap { $0 }
        if sent.isEmpty { continue }
        isMoving = true
        if let cut, cut.end == end, bytes[end] + sent.count >= cut.bytes {
          sent = Array(sent.prefix(cut.bytes - bytes[end]))
          try deliver(sent, to: parts[1 - end], &decoders[1 - end])
          for part in parts { part.lose() }
          return false
        }
        bytes[end] += sent.count
        try deliver(sent, to: parts[1 - end], &decoders[1 - end])
      }
      if !isMoving { return parts.allSatisfy { $0.closing == .done } }
    }
  }

  private func deliver(_ bytes: [UInt8], to part: SyncPart, _ decoder: inout MessageDecoder) throws {
    decoder.feed(bytes)
    while let message = try decoder.next() {
      if case .syncBatch(let batch) = message { rows += batch.batch.count }
      if part.closing == nil { part.receive(message) }
      part.collect()
    }
  }
}
