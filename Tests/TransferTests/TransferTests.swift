import BrowsingData
import Channel
import Store
import TestSupport
import Testing

@testable import Transfer

@Suite(.serialized) struct TransferTests {
  @Test func `everything in the old home arrives in the new one`() throws {
    let homes = try TwoHomes()
    let visits = someVisits(5_000, seed: 1)
    try homes.fill(visits)
    let exporter = RunningSession.export(homes.old, person: Agreeable(), .onLoopback)
    let importer = RunningSession.import(homes.new, person: Agreeable(), try #require(.answering(exporter)))
    let received = try importer.outcome()
    let sent = try exporter.outcome()
    #expect(received.report[.history].added == 5_000)
    #expect(sent.report[.history].added == 5_000)
    #expect(sent.isConfirmed && received.isConfirmed)
    #expect(sent.token == received.token)
    #expect(try TwoHomes.visits(homes.new) == TwoHomes.visits(homes.old))
  }

  @Test func `a second identical transfer adds and changes nothing`() throws {
    let homes = try TwoHomes()
    try homes.fill(someVisits(500, seed: 2))
    for added in [500, 0] {
      let exporter = RunningSession.export(homes.old, person: Agreeable(), .onLoopback)
      let importer = RunningSession.import(homes.new, person: Agreeable(), try #require(.answering(exporter)))
      let report = try importer.outcome().report[.history]
      _ = try exporter.outcome()
      #expect(report.added == added)
      #expect(report.changed == 0)
      #expect(report.unchanged == 500 - added)
    }
  }

  @Test func `the importer may show the code and the exporter answer it`() throws {
    let homes = try TwoHomes()
    try homes.fill(someVisits(100, seed: 3))
    let importer = RunningSession.import(homes.new, person: Agreeable(), .onLoopback)
    let exporter = RunningSession.export(homes.old, person: Agreeable(), try #require(.answering(importer)))
    #expect(try importer.outcome().report[.history].added == 100)
    _ = try exporter.outcome()
  }

  @Test func `a no of either person ends both with declined`() throws {
    for (wanted, granted) in [(DataTypes([]), DataTypes.all), (.all, DataTypes([]))] {
      let homes = try TwoHomes()
      let source = VisitSource(visits: someVisits(10, seed: 4)).asSource
      let exporter = RunningSession.export(
        homes.old, person: Agreeable(granted: granted), .onLoopback, sources: [source])
      let importer = RunningSession.import(
        homes.new, person: Agreeable(wanted: wanted), try #require(.answering(exporter)))
      #expect(throws: TransferError(.declined, "")) { try importer.outcome() }
      #expect(throws: TransferError(.declined, "")) { try exporter.outcome() }
      #expect(try TwoHomes.visits(homes.new).isEmpty)
    }
  }

  @Test func `a wrong code is refused three times, then the listener gives up`() throws {
    let homes = try TwoHomes()
    let source = VisitSource(visits: someVisits(10, seed: 5)).asSource
    let exporter = RunningSession.export(homes.old, person: Agreeable(), .onLoopback, sources: [source])
    let door = try #require(exporter.person.code).door
    let addresses = try #require(exporter.person.addresses).compactMap { Endpoint($0) }
    for _ in 0..<3 {
      let wrong = PairingCode.random(door: door)
      let importer = RunningSession.import(
        homes.new, person: Agreeable(),
        .answering(
          AnsweredCode(secret: wrong.secret, means: .digits, peer: nil) { () throws(TransferError) in addresses }))
      #expect(throws: TransferError(.wrongCode, "")) { try importer.outcome() }
    }
    #expect(throws: TransferError(.wrongCode, "")) { try exporter.outcome() }
  }
}
