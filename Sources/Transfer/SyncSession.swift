import BrowsingData
import Channel
import Crypto
import Foundation
import Store
import Wire

/// Keeps this device and the paired ones in step: one round with each, or for as long as it runs. A session for each
/// device runs on a thread of its own; a second one looks for the device while there is none.
package final class SyncSession: @unchecked Sendable {
  // Reason for @unchecked: every mutable property is used under `lock` only.
  let setting: SessionSetting
  let plan: SyncPlan
  let observer: any SyncObserver
  private let lock = NSCondition()
  /// Held by who reads the devices and begins with the new ones; taken before `lock`.
  private let reading = NSLock()
  private var lines: [PeerID: DeviceLine] = [:]
  private var peers: [PeerID: Peer] = [:]
  private var outcomes: [PeerID: SyncOutcome] = [:]
  /// Devices whose pairing was ended.
  private var forgotten: Set<PeerID> = []
  private var introduction: Introduction?
  /// Devices whose thread has not ended.
  private var open = 0
  private let book: SharedBook

  /// `observer` is told what happens.
  package init(_ setting: SessionSetting, _ plan: SyncPlan, observer: any SyncObserver) {
    self.setting = setting
    self.plan = plan
    self.observer = observer
    book = SharedBook(setting.home)
  }

  /// Runs. One round: gives how it came out for each device. Staying: until it is stopped, which is thrown.
  package func run() throws(TransferError) -> [SyncOutcome] {
    try readPeers()
    let devices = lock.withLock { Array(peers.keys) }
    guard plan.stays || !devices.isEmpty else {
      throw TransferError(
        .notFound, "No machine is paired.", hint: "wherry pair, here and there, makes two know each other.")
    }
    let listener = isListening ? try makeListener() : nil
    let introduction = try setting.introduction(.sync, port: listener?.port ?? HomePort.kept(setting.home))
    lock.withLock { self.introduction = introduction }
    let doorway = try listener.map { (listener) throws(TransferError) in try makeDoorway(listener, introduction) }
    let announcement = listener.map { Announcement(of: $0, door: nil) }
    let watch = try FileWatch(folder: setting.home.data, names: "store.sqlite") { [self] in storeChanged() }
    setting.stop.listen { [weak self] in self?.end() }
    for id in devices { begin(id) }
    waitForEnd()
    watch.close()
    doorway?.close()
    withExtendedLifetime(announcement) { end() }
    lock.withLock { while open > 0 { lock.wait() } }
    if setting.stop.isStopped { throw TransferError.stopped.of(.sync) }
    try readPeers()
    return lock.withLock {
      outcomes.map { id, outcome in
        SyncOutcome(peer: peers[id] ?? outcome.peer, report: outcome.report, failure: outcome.failure)
      }.sorted { $0.peer.name < $1.peer.name }
    }
  }

  /// A round is over when every device has been met, or cannot be reached; where it listens some may not come at all.
  private func waitForEnd() {
    lock.withLock {
      while !setting.stop.isStopped, plan.stays || open > 0 {
        guard !plan.stays, !outcomes.isEmpty else {
          lock.wait()
          continue
        }
        let hasNews = lock.wait(until: Date(timeIntervalSinceNow: plan.grace))
        if !hasNews, lines.values.allSatisfy({ $0.isIdle }) { return }
      }
    }
  }

  /// Whether devices may come here, so that one that cannot be reached is waited for.
  var isListening: Bool { plan.stays || !plan.listen.isEmpty }

  // MARK: Devices

  func peer(_ id: PeerID) -> Peer? { lock.withLock { peers[id] } }

  private func line(_ id: PeerID) -> DeviceLine? { lock.withLock { lines[id] } }

  /// The devices that are meant and paired now.
  private func readPeers() throws(TransferError) {
    let found: [Peer]
    do { found = try book.use { try $0.all() } } catch { throw TransferError(cause: error) }
    let meant = plan.devices.map { Set($0.map(\.bytes)) }
    lock.withLock {
      peers = [:]
      forgotten = []
      for peer in found where meant?.contains(peer.keyHash) ?? true {
        guard let id = peer.id else { continue }
        if peer.isRevoked { forgotten.insert(id) } else { peers[id] = peer }
      }
    }
  }

  private func makeListener() throws(TransferError) -> Listener {
    do throws(ChannelError) {
      let listener = try HomePort.listen(plan.listen, setting.home)
      observer.hear(.listening(listener.addresses.map(\.description)))
      return listener
    } catch {
      throw TransferError(error)
    }
  }

  private func makeDoorway(
    _ listener: Listener, _ introduction: Introduction
  ) throws(TransferError) -> Doorway {
    do throws(ChannelError) {
      return try Doorway(listener) { [self] visitor in admit(visitor, introduction) }
    } catch {
      throw TransferError(error)
    }
  }

  private func admit(_ visitor: Listener.Visitor, _ introduction: Introduction) {
    // It may be one that was paired a moment ago.
    readNews()
    let pins = Set(lock.withLock { peers.keys })
    guard let context = try? introduction.identity.context(.listener, peers: .pinned(pins)),
      let stream = try? SecureStream(visitor.socket, context: context)
    else { return }
    let opening = Opening(introduction: introduction, link: MessageLink(stream), waker: nil)
    // A stranger ended inside the handshake; what a known device did wrong it has been told.
    guard let contact = try? opening.recognize(isDialed: false, authenticated: { visitor.place.release() }) else {
      return
    }
    let address = contact.port.map { Endpoint(host: visitor.socket.peer.host, port: $0) }
    meet(contact, at: address)
    line(contact.peer)?.arrive(contact)
  }

  /// Notes where a device was and what it calls itself.
  private func meet(_ contact: DeviceContact, at address: Endpoint?) {
    guard let peer = try? book.use({ try $0.meet(contact.peer, name: contact.name, address: address) }) else { return }
    lock.withLock { peers[contact.peer] = peer }
  }

  /// Somebody wrote to the store: what changed in the records goes out, and devices that were forgotten are let go.
  private func storeChanged() {
    let all = lock.withLock { lines }
    readNews()
    let gone = lock.withLock { forgotten }
    // Only what a person has ended is said to be ended.
    for (id, line) in all { line.post(gone.contains(id) ? .forget : .changed) }
  }

  /// Takes in devices that were paired meanwhile, and asks one that was held again when it no longer is. From the thread
  /// that watches the store and those of visitors, one at a time.
  private func readNews() {
    reading.withLock {
      let before = lock.withLock { peers }
      try? readPeers()
      let (now, all) = lock.withLock { (peers, lines) }
      for (id, line) in all where before[id]?.hold != nil && now[id]?.hold == nil { line.nudge() }
      guard plan.stays else { return }
      for id in Set(now.keys).subtracting(before.keys) { begin(id) }
    }
  }

  private func end() {
    let all = lock.withLock {
      lock.broadcast()
      return Array(lines.values)
    }
    for line in all { line.end() }
  }

  // MARK: One device

  private func begin(_ id: PeerID) {
    guard let introduction = lock.withLock({ introduction }) else { return }
    let line = DeviceLine(id, ownID: introduction.identity.peerID)
    lock.withLock {
      lines[id] = line
      open += 1
    }
    Thread.detachNewThread { [self] in
      let outcome = DeviceSync(self, line).run()
      line.end()
      lock.withLock {
        if let outcome { outcomes[id] = outcome }
        if lines[id] === line { lines[id] = nil }
        open -= 1
        lock.broadcast()
      }
    }
    Thread.detachNewThread { [self] in look(for: line, introduction) }
  }

  /// Dials the device whenever there is no session with it, with growing pauses (protocol.md 3).
  private func look(for line: DeviceLine, _ introduction: Introduction) {
    var backoff = Backoff()
    var hasTold = false
    while line.waitToDial(), let peer = peer(line.id) {
      let dialer = DeviceDialer(
        introduction: introduction, id: line.id,
        addresses: plan.at.isEmpty ? peer.addresses.compactMap { Endpoint($0) } : plan.at, searches: plan.at.isEmpty,
        isOver: { line.hasEnded })
      do throws(OpeningFailure) {
        let (contact, address) = try dialer.dial()
        backoff.reset()
        hasTold = false
        meet(contact, at: address)
        line.arrive(contact)
      } catch {
        let reason = TransferError(error)
        if !isListening { return line.giveUp(reason) }
        let pause = backoff.next(jitter: Random.uniform(below: 401))
        line.rest(milliseconds: pause)
        if !hasTold, !line.hasEnded {
          observer.hear(.interrupted(peer, reason: reason.message, retryIn: pause))
          hasTold = true
        }
      }
    }
  }

  /// The pairing with a device has ended there.
  func revoke(_ peer: Peer) { try? book.use { try $0.revoke(peer) } }
}
