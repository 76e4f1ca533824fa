import BrowsingData
import Store
import TestSupport
import Testing

@Suite struct SessionTests {
  let folder = TemporaryDirectory()

  @Test func `a session comes back as it was saved`() throws {
    let home = try Home.open(folder.file("home"))
    var session = Session(
      token: Array(1...16), role: .exporter, peerKey: Array(repeating: 7, count: 32), types: [.history, .cards],
      started: Timestamp(microseconds: 5))
    session.source = "firefox:Work"
    session.capture = [1, 2]
    session.details = [3]
    try RecordStore.open(home: home).save(session)
    session.state = .done
    session.peerKey = nil
    session.lastContact = Timestamp(microseconds: 9)
    try RecordStore.open(home: home).save(session)
    let store = try RecordStore.open(home: home)
    #expect(try store.sessions() == [session])
    #expect(try store.session(token: session.token) == session)
    #expect(try store.session(token: []) == nil)
    try store.deleteSession(token: session.token)
    #expect(try store.sessions().isEmpty)
  }

  @Test func `a peer comes back as it was saved`() throws {
    let store = try RecordStore.openTemporary(in: try Home.open(folder.file("home")))
    var peer = Peer(
      keyHash: Array(repeating: 1, count: 32), name: "the laptop", types: .withoutSecrets,
      addresses: ["a:1", "b:2"], pairedAt: Timestamp(microseconds: 1))
    try store.save(peer)
    peer.lastSync = Timestamp(microseconds: 2)
    peer.isRevoked = true
    peer.version = 3
    peer.direction = .receiveOnly
    try store.save(peer)
    let read = try #require(try store.peer(keyHash: peer.keyHash))
    #expect(try store.peers() == [read])
    #expect(read.number > 0)
    #expect(read.name == peer.name && read.types == peer.types && read.direction == peer.direction)
    #expect(read.addresses == peer.addresses && read.pairedAt == peer.pairedAt && read.lastSync == peer.lastSync)
    #expect(read.isRevoked && read.version == 3)
    try store.deletePeer(keyHash: peer.keyHash)
    #expect(try store.peers().isEmpty)
  }
}
