import BrowsingData
import Channel
import Foundation
import Store
import TestSupport
import Testing
import Wire

@testable import Transfer

/// Whole syncs over loopback.
@Suite struct SyncSessionTests {
  private func dial(_ homes: PairedHomes, _ index: Int, _ listener: RunningSync, stays: Bool = false) throws
    -> RunningSync
  {
    let address = try #require(listener.observer.address)
    return RunningSync(
      homes, index,
      SyncPlan(
        stays: stays, listen: stays ? [Endpoint(host: "127.0.0.1", port: 0)] : [], at: [address]))
  }

  @Test func `one round leaves both with the same, and says when`() throws {
    let homes = try PairedHomes(2)
    try homes.add(["one", "two"], to: 0)
    try homes.add(["three"], to: 1)
    try homes.visit(someVisits(40, seed: 3), at: 1)
    let listener = RunningSync.listening(homes, 0)
    let dialer = try dial(homes, 1, listener)
    let outcomes = try dialer.outcomes() + listener.outcomes()
    #expect(outcomes.count == 2)
    #expect(outcomes.allSatisfy { $0.failure == nil && $0.peer.lastSync != nil })
    #expect(try homes.titles(0) == homes.titles(1))
    #expect(try Set(homes.titles(0)) == ["one", "two", "three"])
    #expect(try TwoHomes.visits(homes.homes[0]) == TwoHomes.visits(homes.homes[1]))
  }

  @Test func `three in a line end equal`() throws {
    let homes = try PairedHomes(3)
    for index in 0..<3 { try homes.add(["own\(index)", "common"], to: index) }
    for other in [0, 2, 0] {
      let middle = RunningSync(
        homes, 1,
        SyncPlan(
          devices: [try homes.ids[other]], stays: false, listen: [Endpoint(host: "127.0.0.1", port: 0)],
          at: RunningSync.nowhere))
      let address = try #require(middle.observer.address)
      let leaf = RunningSync(homes, other, SyncPlan(devices: [try homes.ids[1]], stays: false, at: [address]))
      #expect(try leaf.outcomes().allSatisfy { $0.failure == nil })
      #expect(try middle.outcomes().allSatisfy { $0.failure == nil })
    }
    #expect(try homes.titles(0) == homes.titles(1))
    #expect(try homes.titles(1) == homes.titles(2))
    #expect(try Set(homes.titles(0)) == ["own0", "own1", "own2", "common"])
  }

  @Test func `a connection that stands carries a change, and settles when both dialed at once`() throws {
    let homes = try PairedHomes(2)
    let first = RunningSync.listening(homes, 0, stays: true)
    let second = try dial(homes, 1, first, stays: true)
    defer {
      first.end()
      second.end()
    }
    #expect(first.observer.isInStep)
    #expect(second.observer.isInStep)
    try homes.add(["late"], to: 0)
    let taken = second.observer.wait { event -> DataType? in
      if case .taken(_, let type, _) = event { type } else { nil }
    }
    #expect(taken == .bookmarks)
    #expect(try homes.titles(1) == ["late"])
  }

  @Test func `a machine that pairs while its sync runs is found where the sync listens, and both are in step at once`()
    throws
  {
    let homes = try PairedHomes(2)
    for home in homes.homes {
      let store = try RecordStore.open(home: home)
      for peer in try store.peers() { try DeviceBook(store).revoke(peer) }
    }
    try homes.add(["one"], to: 0)
    let running = RunningSync.listening(homes, 0, stays: true)
    let place = try #require(running.observer.address)
    let (shower, stop) = (Agreeable(), StopSignal())
    let setting = SessionSetting(home: homes.homes[0], name: "home 0", software: "test", person: shower, stop: stop)
    Thread.detachNewThread {
      _ = try? PairingSession(setting, types: .withoutSecrets, name: nil).run(.onLoopback)
    }
    let code = try #require(shower.code)
    let address = try #require(shower.addresses?.first.flatMap { Endpoint($0) })
    #expect(address.port != place.port)
    let answer = Meeting.answering(
      AnsweredCode(secret: code.secret, means: .digits, peer: nil) { () throws(TransferError) in [address] })
    let peer = try PairingSession(homes.setting(1, stop: stop), types: .withoutSecrets, name: nil).run(answer)
    #expect(peer.addresses.first == place.description)
    // It kept its port, and no address must be named.
    #expect(HomePort.kept(homes.homes[0]) == place.port)
    let dialer = RunningSync(homes, 1, SyncPlan(stays: false))
    #expect(try dialer.outcomes().map { $0.failure?.code } == [nil])
    #expect(try homes.titles(1) == ["one"])
    running.end()
  }

  @Test func `a device that was forgotten is not let in`() throws {
    let homes = try PairedHomes(2)
    let store = try RecordStore.open(home: homes.homes[0])
    let book = DeviceBook(store)
    let other = try #require(try book.devices().first)
    try book.revoke(other)
    // A third keeps the listener busy.
    try store.save(
      Peer(keyHash: [UInt8](repeating: 9, count: 32), name: "third", types: .all, pairedAt: WallClock.now))
    let listener = RunningSync.listening(homes, 0, stays: true)
    defer { listener.end() }
    let outcomes = try dial(homes, 1, listener).outcomes()
    #expect(outcomes.first?.failure?.code == .untrusted)
  }

  @Test func `whoever forgets the other ends the session and is forgotten there`() throws {
    let homes = try PairedHomes(2)
    let first = RunningSync.listening(homes, 0, stays: true)
    let second = try dial(homes, 1, first, stays: true)
    defer {
      first.end()
      second.end()
    }
    #expect(first.observer.isInStep)
    let book = DeviceBook(try RecordStore.open(home: homes.homes[0]))
    try book.revoke(try #require(try book.devices().first))
    let stopped = second.observer.wait { event -> TransferError? in
      if case .stopped(_, let error) = event { error } else { nil }
    }
    #expect(stopped?.code == .untrusted)
    let peer = try RecordStore.open(home: homes.homes[1]).peers().first
    #expect(peer?.isRevoked == true)
  }

  @Test func `nobody there is not found`() throws {
    let homes = try PairedHomes(2)
    let outcomes = try RunningSync(homes, 0, SyncPlan(stays: false, at: RunningSync.nowhere)).outcomes()
    #expect(outcomes.first?.failure?.code == .notFound)
  }

  @Test func `passwords stay unless both sides chose them`() throws {
    let homes = try PairedHomes(2)
    let store = try RecordStore.open(home: homes.homes[0])
    var peer = try #require(try store.peers().first)
    peer.types = .all
    try store.save(peer)
    let run = try store.beginImport(ImportOptions(kind: .file, label: "test"))
    try run.apply(
      .logins([Login(id: RecordID(high: 1, low: 1), url: "https://a.test/", username: "u", password: "p")]))
    _ = try run.finish()
    let memory = try InMemorySync(homes)
    #expect(try memory.connect())
    #expect(try RecordStore.open(home: homes.homes[1]).counts()[.passwords] == 0)
    let other = try RecordStore.open(home: homes.homes[1])
    peer = try #require(try other.peers().first)
    peer.types = .all
    try other.save(peer)
    #expect(try memory.connect())
    #expect(try RecordStore.open(home: homes.homes[1]).counts()[.passwords] == 1)
  }
}

/// The protocol and the stores without sockets.
@Suite struct SyncCutTests {
  @Test func `a sync that is cut at any byte of either end ends as one that is not`() throws {
    for end in 0..<2 {
      var place = 0
      while true {
        let homes = try PairedHomes(2)
        try homes.add(["one", "two"], to: 0)
        try homes.add(["three"], to: 1)
        try homes.visit(someVisits(6, seed: 5), at: 0)
        let sync = try InMemorySync(homes)
        let wasCut = try !sync.connect(cut: (end, place))
        #expect(try !wasCut || sync.connect(), "cut at \(place) of end \(end)")
        #expect(try homes.titles(0) == homes.titles(1), "cut at \(place) of end \(end)")
        #expect(try homes.titles(0).count == 3)
        #expect(try TwoHomes.visits(homes.homes[0]) == TwoHomes.visits(homes.homes[1]))
        if !wasCut { break }
        place += place < 40 ? 13 : 211
      }
    }
  }

  @Test func `a second sync carries no rows, one new bookmark costs little`() throws {
    let homes = try PairedHomes(2)
    try homes.add((0..<300).map { "mark\($0)" }, to: 0)
    let sync = try InMemorySync(homes)
    #expect(try sync.connect())
    let before = sync.rows
    #expect(try sync.connect())
    #expect(sync.rows == before)
    try homes.add(["new"], to: 1)
    #expect(try sync.connect())
    #expect(sync.rows == before + 1)
    #expect(sync.bytes[0] + sync.bytes[1] < 2_000)
  }
}
