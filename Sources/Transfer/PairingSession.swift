package import BrowsingData
import Channel
import Crypto
import Foundation
package import Store
import Wire

/// Makes two devices know each other for good. Runs on the caller's thread.
package final class PairingSession: Sendable {
  private let setting: SessionSetting
  private let types: DataTypes
  private let name: String?

  /// `types`: what is to be kept in step with the other device; `name`: what it is called here, instead of what it calls
  /// itself.
  package init(_ setting: SessionSetting, types: DataTypes, name: String?) {
    self.setting = setting
    self.types = types
    self.name = name
  }

  /// Shows a code, or answers one; gives the device that is known from now on.
  package func run(_ meeting: Meeting) throws(TransferError) -> Peer {
    do throws(TransferError) { return try meet(meeting) } catch { throw error.of(.pairing) }
  }

  private func meet(_ meeting: Meeting) throws(TransferError) -> Peer {
    switch meeting {
    case .showing(let listen): return try show(listen)
    case .answering(let code):
      return try answer(code, setting.introduction(.sync, port: HomePort.reserve(setting.home)))
    case .resuming: throw TransferError(.failed, "A pairing cannot be resumed.", hint: "Pair again.")
    }
  }

  // MARK: The side that shows the code

  private func show(_ endpoints: [Endpoint]) throws(TransferError) -> Peer {
    let listener: Listener
    let waker = try setting.makeWaker()
    do throws(ChannelError) { listener = try HomePort.listenBriefly(endpoints, setting.home) } catch {
      throw TransferError(error)
    }
    // Where this device is found from now on, not where it shows the code.
    let introduction = try setting.introduction(.sync, port: HomePort.kept(setting.home))
    setting.stop.listen { waker.wake() }
    let offer = CodeOffer(door: Announcement.freeDoor(for: listener))
    let announcement = Announcement(of: listener, door: offer.code.door)
    setting.person.hear(.listening(listener.addresses.map(\.description)))
    setting.show(offer, listener: listener, introduction: introduction)
    if let reason = announcement.hindrance { setting.person.hear(.warning(SessionSetting.hidden(reason))) }
    let arrivals = Mailbox<Peer?>(waker: waker)
    let doorway: Doorway
    do throws(ChannelError) {
      doorway = try Doorway(listener) { [self] visitor in
        arrivals.post(receive(visitor, offer: offer, introduction: introduction))
      }
    } catch {
      throw TransferError(error)
    }
    defer { doorway.close() }
    while true {
      if setting.stop.isStopped { throw .stopped }
      if let peer = arrivals.take().compactMap({ $0 }).first { return peer }
      // Who used the code may have lost the connection before it heard so, and comes again.
      guard !offer.isDead() || offer.isTaken && offer.end > .now else {
        throw TransferError(offer.attemptsLeft == 0 ? .tooManyAttempts : .codeExpired, theirs: false)
      }
      waker.wait(until: offer.isBeingTried ? .never : offer.end)
    }
  }

  private func receive(_ visitor: Listener.Visitor, offer: CodeOffer, introduction: Introduction) -> Peer? {
    guard offer.end > .now, let context = try? introduction.identity.context(.listener, peers: .anyone),
      let stream = try? SecureStream(visitor.socket, context: context)
    else { return nil }
    let opening = Opening(introduction: introduction, link: MessageLink(stream), waker: nil)
    do {
      let contact = try opening.acceptPairing(offer) {
        visitor.place.release()
      } pin: { peer in
        try book().pin(peer, types: types)
      }
      let address = contact.port.map { Endpoint(host: visitor.socket.peer.host, port: $0) }
      return try finish(contact, address: address)
    } catch {
      // The stranger has heard what it may hear; a counted guess may have been the last one.
      return nil
    }
  }

  // MARK: The side that has it

  private func answer(_ code: AnsweredCode, _ introduction: Introduction) throws(TransferError) -> Peer {
    let waker = try setting.makeWaker()
    setting.stop.listen { waker.wake() }
    var attempts = 0
    while true {
      do throws(OpeningFailure) {
        let (contact, address) = try dial(code, introduction, waker)
        do {
          let there = contact.port.map { Endpoint(host: address.host, port: $0) }
          // Behind a forwarded port only the one that was dialed is good; it is tried last.
          if let there, there != address { _ = try book().meet(contact.peer, name: contact.name, address: address) }
          return try finish(contact, address: there ?? address)
        } catch {
          throw .nowhere(TransferError(cause: error))
        }
      } catch {
        if setting.stop.isStopped { throw .stopped }
        attempts += 1
        // An end without a word may have been a guess of somebody in between: not more than a few (security.md 3).
        guard case .lost = error, attempts < Self.maximumAttempts else { throw TransferError(error) }
      }
      if setting.stop.wait(milliseconds: 200) { throw .stopped }
    }
  }

  private static let maximumAttempts = 3

  private func dial(
    _ code: AnsweredCode, _ introduction: Introduction, _ waker: Waker
  ) throws(OpeningFailure) -> (DeviceContact, Endpoint) {
    var last = OpeningFailure.channel(.unreachable("no address"))
    let addresses: [Endpoint]
    do throws(TransferError) { addresses = try code.find() } catch { throw .nowhere(error) }
    for address in addresses {
      let stream: SecureStream
      do throws(ChannelError) {
        let socket = try Socket.connect(to: address, until: .after(seconds: 10), waker: waker)
        let peers: KnownPeers = code.peer.map { .pinned([$0]) } ?? .anyone
        stream = try SecureStream(socket, context: introduction.identity.context(.connector, peers: peers))
      } catch {
        // Whoever answers has used up a guess; only where nobody did is the next address tried.
        last = .channel(error)
        if case .unreachable = error { continue }
        throw last
      }
      let opening = Opening(introduction: introduction, link: MessageLink(stream), waker: waker)
      let contact = try opening.connectPairing((code.secret, code.means)) { peer in try book().pin(peer, types: types) }
      return (contact, address)
    }
    throw last
  }

  // MARK: Both

  /// The store is opened by the thread that needs it.
  private func book() throws -> DeviceBook { DeviceBook(try RecordStore.open(home: setting.home)) }

  private func finish(_ contact: DeviceContact, address: Endpoint?) throws -> Peer {
    let peer = try book().meet(contact.peer, name: contact.name, calledHere: name, address: address)
    contact.link.send(.close(nil))
    contact.link.close()
    return peer
  }
}
