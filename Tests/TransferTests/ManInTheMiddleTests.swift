import BrowsingData
import Channel
import Foundation
import Store
import TestSupport
import Testing

@testable import Transfer

@Suite(.serialized) struct ManInTheMiddleTests {
  @Test func `a relay of the whole opening never gets in between two sessions that know the code`() throws {
    let homes = try TwoHomes()
    try homes.fill(someVisits(100, seed: 6))
    let exporter = RunningSession.export(homes.old, person: Agreeable(), .onLoopback)
    let middle = try ManInTheMiddle(to: try #require(exporter.person.addresses?.first))
    defer { middle.leave() }
    for _ in 0..<3 {
      let importer = RunningSession.import(
        homes.new, person: Agreeable(), try #require(.answering(exporter, at: [middle.address])))
      #expect(throws: TransferError(.wrongCode, "")) { try importer.outcome() }
      #expect(!importer.person.heard.contains { if case .connected = $0 { true } else { false } })
    }
    // It handed on what it read, HELLO and PAIR_SHARE of both at least, and each try was counted as a guess.
    #expect(middle.bytes.allSatisfy { $0 > 3 * 100 })
    #expect(throws: TransferError(.wrongCode, "")) { try exporter.outcome() }
    #expect(!exporter.person.heard.contains { if case .connected = $0 { true } else { false } })
    #expect(try TwoHomes.visits(homes.new).isEmpty)
    for home in [homes.old, homes.new] { #expect(try RecordStore.open(home: home).sessions().isEmpty) }
  }

  @Test func `nor when the importer shows the code`() throws {
    let homes = try TwoHomes()
    try homes.fill(someVisits(100, seed: 7))
    let importer = RunningSession.import(homes.new, person: Agreeable(), .onLoopback)
    let middle = try ManInTheMiddle(to: try #require(importer.person.addresses?.first))
    defer { middle.leave() }
    let exporter = RunningSession.export(
      homes.old, person: Agreeable(), try #require(.answering(importer, at: [middle.address])))
    #expect(throws: TransferError(.wrongCode, "")) { try exporter.outcome() }
    #expect(middle.bytes.allSatisfy { $0 > 100 })
    // The code is still good for the other device itself.
    let honest = RunningSession.export(homes.old, person: Agreeable(), try #require(.answering(importer)))
    _ = try honest.outcome()
    #expect(try importer.outcome().report[.history].added == 100)
  }

  @Test func `nor on a session that goes on after a cut`() throws {
    let homes = try TwoHomes()
    try homes.fill(someVisits(3_000, seed: 8))
    let stopsAtOnce = StopAtFirstProgress()
    let exporter = RunningSession.export(homes.old, person: Agreeable(), .onLoopback)
    let importer = RunningSession.import(
      homes.new, person: Agreeable(onEvent: { stopsAtOnce.hear($0) }), try #require(.answering(exporter)))
    stopsAtOnce.signal = importer.stop
    guard (try? importer.outcome()) == nil else { return }
    let middle = try ManInTheMiddle(to: try #require(exporter.person.addresses?.first))
    defer { middle.leave() }
    let again = RunningSession.import(
      homes.new, person: Agreeable(),
      .resuming(nil, at: [try #require(Endpoint(middle.address))], listen: []))
    // It knows the exporter's key and goes past whoever has another one, to the address of before.
    _ = try again.outcome()
    #expect(middle.bytes == [0, 0])
    #expect(try exporter.outcome().isConfirmed)
    #expect(try TwoHomes.visits(homes.new).count == 3_000)
  }
}

/// Stops a session when its first records are there.
private final class StopAtFirstProgress: @unchecked Sendable {
  // Reason for @unchecked: `signal` is used under `condition`.
  private let condition = NSCondition()
  private var isDue = false
  var signal: StopSignal? {
    didSet { condition.withLock { if isDue { signal?.stop() } } }
  }

  func hear(_ event: TransferEvent) {
    guard case .progress = event else { return }
    condition.withLock {
      isDue = true
      signal?.stop()
    }
  }
}
