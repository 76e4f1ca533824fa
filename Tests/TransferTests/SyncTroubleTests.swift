import BrowsingData
import Channel
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Transfer

/// What happens to machines that are copied, put back, wiped, renewed: whole syncs over loopback.
@Suite struct SyncTroubleTests {
  @Test func `a copied machine is found out, and goes on once it is another one`() throws {
    var homes = try PairedHomes(2)
    try homes.add(["one"], to: 0)
    #expect(try inStep(homes.sync(1, 0)))
    try homes.clone(0)
    // Both go on: the original first. The copy comes and is behind: it could be a machine that was put back.
    try homes.add(["two"], to: 0)
    #expect(try inStep(homes.sync(1, 0)))
    #expect(try inStep(homes.sync(1, 2)))
    try homes.add(["copy"], to: 2)
    #expect(try inStep(homes.sync(1, 2)))
    try homes.add(["three"], to: 0)
    let refused = try homes.sync(1, 0)
    #expect(refused.map { $0.failure?.code } == [.untrusted, .untrusted])
    #expect(refused.allSatisfy { $0.failure?.hint.contains("--new-identity") ?? false })
    #expect(try Set(homes.titles(1)) == ["one", "two", "copy"])
    // The refused one becomes a machine of its own; nothing that it had is lost.
    let former = try homes.ids[0]
    try NewIdentity.take(homes.homes[0])
    #expect(try homes.ids[0] != former)
    #expect(try RecordStore.open(home: homes.homes[0]).peers().isEmpty)
    try homes.pair(0, 1)
    #expect(try inStep(homes.sync(1, 0)))
    #expect(try inStep(homes.sync(1, 2)))
    #expect(try inStep(homes.sync(1, 0)))
    for index in 0...2 { #expect(try Set(homes.titles(index)) == ["one", "two", "three", "copy"]) }
  }

  @Test(arguments: [true, false]) func `a machine that was put back loses nothing`(dataOnly: Bool) throws {
    let homes = try PairedHomes(2)
    try homes.add(["one"], to: 0)
    #expect(try inStep(homes.sync(1, 0)))
    let saved = homes.folder.file("saved")
    let place = homes.folder.file("home0") + (dataOnly ? "/data" : "")
    try homes.copy(place, to: saved)
    try homes.add(["two"], to: 0)
    #expect(try inStep(homes.sync(1, 0)))
    try FileManager.default.removeItem(atPath: place)
    try FileManager.default.moveItem(atPath: saved, toPath: place)
    try homes.add(["three"], to: 0)
    #expect(try inStep(homes.sync(1, 0)))
    try homes.add(["four"], to: 1)
    #expect(try inStep(homes.sync(1, 0)))
    for index in 0...1 { #expect(try Set(homes.titles(index)) == ["one", "two", "three", "four"]) }
  }

  @Test func `a machine that bears another key is a stranger, whoever dials, and is not taken for the old one`() throws
  {
    let homes = try PairedHomes(2)
    try homes.add(["one"], to: 0)
    let pinned = try RecordStore.open(home: homes.homes[0]).peers().map(\.keyHash)
    let known = try homes.ids[0]
    _ = try DeviceIdentity.replace(folder: homes.homes[1].config)
    // A third keeps the listener there.
    let listener = RunningSync.listening(homes, 0, stays: true)
    let address = try #require(listener.observer.address)
    let dialer = RunningSync(homes, 1, SyncPlan(devices: [known], stays: false, at: [address]))
    #expect(try dialer.outcomes().map { $0.failure?.code } == [.untrusted])
    listener.end()
    let other = RunningSync.listening(homes, 1, stays: true)
    let there = try #require(other.observer.address)
    let caller = RunningSync(homes, 0, SyncPlan(stays: false, at: [there]))
    #expect(try caller.outcomes().map { $0.failure?.code } == [.untrusted])
    other.end()
    #expect(try homes.titles(1).isEmpty)
    #expect(try RecordStore.open(home: homes.homes[0]).peers().map(\.keyHash) == pinned)
  }

  @Test func `a machine that deletes much is held until a person says so`() throws {
    let homes = try PairedHomes(3)
    let titles = (0..<60).map { "t\($0)" }
    try homes.add(titles, to: 0)
    #expect(try inStep(homes.sync(1, 0)))
    try homes.delete(Array(titles[..<40]), at: 0)
    for _ in 0..<2 {
      let held = try homes.sync(1, 0)
      #expect(held.map { $0.failure?.code } == [.declined, .declined])
      #expect(held[0].peer.hold?.affected == 40)
      #expect(held[1].failure?.hint.contains("sync --force there") == true)
      #expect(try homes.titles(1).count == 60)
    }
    // No difference was looked for in what was not taken, and the exchange of everything is still to be had.
    #expect(
      try Database(path: RecordStore.open(home: homes.homes[1]).path, mode: .readOnly)
        .text("SELECT count(*) FROM peer WHERE repaired IS NOT NULL") == "0")
    // Others are not held up by it.
    #expect(try inStep(homes.sync(1, 2)))
    #expect(try homes.titles(2).count == 60)
    #expect(try inStep(homes.sync(1, 0, force: true)))
    #expect(try homes.titles(1).count == 20)
    #expect(try RecordStore.open(home: homes.homes[1]).snapshots().count == 1)
    #expect(try inStep(homes.sync(1, 0)))
  }

  @Test func `a round that listens ends without those that do not come`() throws {
    let homes = try PairedHomes(3)
    try homes.add(["one"], to: 0)
    var plan = SyncPlan(stays: false, listen: [Endpoint(host: "127.0.0.1", port: 0)], at: RunningSync.nowhere)
    plan.grace = 1
    let listener = RunningSync(homes, 0, plan)
    let address = try #require(listener.observer.address)
    let dialer = RunningSync(homes, 1, SyncPlan(devices: [try homes.ids[0]], stays: false, at: [address]))
    #expect(try dialer.outcomes().map { $0.failure?.code } == [nil])
    let outcomes = try listener.outcomes().sorted { $0.peer.name < $1.peer.name }
    #expect(outcomes.map { $0.failure?.code } == [nil, .notFound])
    #expect(try homes.titles(1) == ["one"])
  }

  @Test func `a sync that is stopped names nothing to go on with`() throws {
    let homes = try PairedHomes(2)
    let listener = RunningSync.listening(homes, 0, stays: true)
    _ = listener.observer.address
    listener.stop.stop()
    do {
      _ = try listener.outcomes()
      Issue.record("it came to an end by itself")
    } catch let error as TransferError {
      #expect(error.code == .stopped && error.hint.isEmpty)
    }
  }

  @Test func `a machine that joins empty changes nothing on the old one`() throws {
    let homes = try PairedHomes(2)
    try homes.add((0..<50).map { "t\($0)" }, to: 0)
    try homes.visit(someVisits(300, seed: 8), at: 0)
    let before = try RecordStore.open(home: homes.homes[0]).changeMark()
    #expect(try inStep(homes.sync(0, 1)))
    #expect(try RecordStore.open(home: homes.homes[0]).changeMark() == before)
    #expect(try homes.titles(0) == homes.titles(1))
    #expect(try TwoHomes.visits(homes.homes[0]) == TwoHomes.visits(homes.homes[1]))
  }

  private func inStep(_ outcomes: [SyncOutcome]) -> Bool {
    outcomes.count == 2 && outcomes.allSatisfy { $0.failure == nil }
  }
}

/// What is said of clocks that differ.
@Suite struct ClockSkewTests {
  @Test func `a minute is nothing, an hour is said, a year is said loudly, either way`() {
    #expect(ClockSkew.warning(20) == nil)
    for hour in [3_600 as Int64, -3_600] { #expect(ClockSkew.warning(hour)?.contains("clocks differ (3600") == true) }
    for year in [31_536_000 as Int64, -31_536_000] { #expect(ClockSkew.warning(year)?.contains("days") == true) }
    #expect(ClockSkew.warning(.min) != nil)
  }
}
