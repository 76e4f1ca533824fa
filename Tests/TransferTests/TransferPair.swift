import BrowsingData
import Channel
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

@testable import Transfer

/// A person who agrees to everything that is offered, and remembers what was told.
final class Agreeable: TransferPerson {
  private let events = Mutex<[TransferEvent]>([])
  private let condition = NSCondition()
  let wanted: DataTypes
  let granted: DataTypes?
  private let onEvent: @Sendable (TransferEvent) -> Void

  init(
    wanted: DataTypes = .all, granted: DataTypes? = .all,
    onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
  ) {
    self.wanted = wanted
    self.granted = granted
    self.onEvent = onEvent
  }

  func hear(_ event: TransferEvent) {
    events.withLock { $0.append(event) }
    condition.withLock { condition.broadcast() }
    onEvent(event)
  }

  func choose(from offer: [DataType: Int], of device: TransferDevice) -> DataTypes? { wanted }

  func grants(
    _ types: DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: TransferDevice
  ) -> DataTypes? { granted }

  var heard: [TransferEvent] { events.withLock { $0 } }

  /// Waits for an event that gives a value; nil after ten seconds.
  func wait<T>(for value: (TransferEvent) -> T?) -> T? {
    let end = Date(timeIntervalSinceNow: 3)
    return condition.withLock {
      while true {
        if let found = heard.lazy.compactMap(value).first { return found }
        if !condition.wait(until: end) { return nil }
      }
    }
  }

  var code: PairingCode? { wait { if case .code(let code, _) = $0 { code } else { nil } } }
  var addresses: [String]? { wait { if case .listening(let addresses) = $0 { addresses } else { nil } } }
}

/// One end of a transfer on a thread of its own.
final class RunningSession: @unchecked Sendable {
  let person: Agreeable
  let stop = StopSignal()
  private let condition = NSCondition()
  private var result: Result<TransferOutcome, TransferError>?

  init(_ person: Agreeable, _ body: @escaping @Sendable (StopSignal) throws(TransferError) -> TransferOutcome) {
    self.person = person
    Thread.detachNewThread { [self, stop] in
      let outcome: Result<TransferOutcome, TransferError>
      do throws(TransferError) { outcome = .success(try body(stop)) } catch { outcome = .failure(error) }
      condition.withLock {
        result = outcome
        condition.broadcast()
      }
    }
  }

  /// Waits for its end, at most a minute.
  func outcome() throws -> TransferOutcome {
    let end = Date(timeIntervalSinceNow: 20)
    return try condition.withLock {
      while result == nil { if !condition.wait(until: end) { throw TransferError(.failed, "the session hangs") } }
      guard let result else { throw TransferError(.failed, "no result") }
      return try result.get()
    }
  }

  /// Why it ended, if it has.
  var failure: TransferError? {
    condition.withLock {
      if case .failure(let error) = result { return error }
      return nil
    }
  }

  static func export(
    _ home: Home, person: Agreeable, _ meeting: Meeting, sources: [ExportSession.Source] = [], types: DataTypes = .all,
    keep: Bool = false
  ) -> RunningSession {
    RunningSession(person) { stop throws(TransferError) in
      try ExportSession(
        SessionSetting(home: home, name: "old machine", software: "test", person: person, stop: stop),
        reopen: { words in sources.first { $0.words == words } ?? sources[0] },
        explain: { $0 as? TransferError ?? TransferError(.failed, "the source failed: \($0)") }
      ).run(meeting, sources: sources, types: types, keep: keep)
    }
  }

  static func `import`(_ home: Home, person: Agreeable, _ meeting: Meeting) -> RunningSession {
    RunningSession(person) { stop throws(TransferError) in
      try ImportSession(
        SessionSetting(home: home, name: "new machine", software: "test", person: person, stop: stop)
      ).run(meeting)
    }
  }
}

extension Meeting {
  /// Show a code on a free loopback port.
  static let onLoopback = Meeting.showing(listen: [Endpoint(host: "127.0.0.1", port: 0)])

  /// Answer the code that a running session shows.
  static func answering(_ session: RunningSession, at addresses: [String]? = nil) -> Meeting? {
    guard let code = session.person.code, let known = addresses ?? session.person.addresses else {
      if let early = session.failure { Issue.record(early) }
      return nil
    }
    let endpoints = known.compactMap { Endpoint($0) }
    return .answering(
      AnsweredCode(secret: code.secret, means: .digits, peer: nil) { () throws(TransferError) in endpoints })
  }
}

/// Two homes and what lies in them.
struct TwoHomes {
  let folder = TemporaryDirectory()
  let old: Home
  let new: Home

  init() throws {
    old = try Home.open(folder.file("old"))
    new = try Home.open(folder.file("new"))
  }

  /// Puts visits into the old home's store.
  func fill(_ visits: [HistoryVisit]) throws {
    let run = try RecordStore.open(home: old).beginImport(ImportOptions(kind: .file, label: "test"))
    try run.apply(.history(visits))
    _ = try run.finish()
  }

  static func visits(_ home: Home) throws -> [HistoryVisit] {
    var visits: [HistoryVisit] = []
    try RecordStore.open(home: home).list(.history) { if case .historyVisit(let visit) = $0 { visits.append(visit) } }
    return visits.sorted { ($0.visitedAt, $0.url, $0.occurrence) < ($1.visitedAt, $1.url, $1.occurrence) }
  }
}

/// So many visits of a fifth as many pages, the same for the same seed.
func someVisits(_ count: Int, seed: UInt64) -> [HistoryVisit] {
  var random = SeededGenerator(seed: seed)
  return (0..<count).map { index in
    let page = Int.random(in: 0..<max(1, count / 5), using: &random)
    return HistoryVisit(
      url: "https://host\(page % 50).test/\(page)", title: page % 3 == 0 ? nil : "Page \(page)",
      visitedAt: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(index) * 1_234_567),
      transition: HistoryVisit.Transition(rawValue: UInt8.random(in: 1...9, using: &random)))
  }
}

/// Visits as a source that is read to be sent.
struct VisitSource: RecordSource {
  var visits: [HistoryVisit]
  /// Waits so long before each batch of a hundred.
  var pause: Duration = .zero

  var types: DataTypes { .history }
  func counts() throws -> RecordCounts { RecordCounts([.history: visits.count]) }
  func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    for start in stride(from: 0, to: visits.count, by: 100) {
      if pause > .zero { usleep(UInt32(pause.components.attoseconds / 1_000_000_000_000)) }
      try consume(.history(Array(visits[start..<min(start + 100, visits.count)])))
    }
  }

  var asSource: ExportSession.Source { ExportSession.Source(words: "visits") { self } }
}
