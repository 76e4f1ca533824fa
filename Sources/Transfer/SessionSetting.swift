import Channel
import Foundation
package import Store
import Wire

/// What both roles of a transfer need from outside.
package struct SessionSetting: Sendable {
  /// This device's home.
  package var home: Home
  /// How this device calls itself.
  package var name: String
  /// "wherry" and its version.
  package var software: String
  /// Who is told and asked.
  package var person: any TransferPerson
  /// The wish to stop.
  package var stop: StopSignal

  /// With everything.
  package init(home: Home, name: String, software: String, person: any TransferPerson, stop: StopSignal) {
    self.home = home
    self.name = String(name.unicodeScalars.prefix(64))
    self.software = software
    self.person = person
    self.stop = stop
  }

  /// In a home of another program, below `folder`.
  package init(
    guestIn folder: String, name: String, software: String, person: any TransferPerson, stop: StopSignal
  ) throws(TransferError) {
    let home: Home
    do { home = try Home.open(folder, asGuest: true) } catch { throw TransferError(cause: error) }
    self.init(home: home, name: name, software: software, person: person, stop: stop)
  }

  /// The main store, for the calling thread.
  func openStore() throws(TransferError) -> RecordStore {
    do { return try RecordStore.open(home: home) } catch { throw TransferError(cause: error) }
  }

  func introduction(_ role: Role, port: UInt16? = nil) throws(TransferError) -> Introduction {
    do throws(ChannelError) {
      let identity = try DeviceIdentity.open(folder: home.config)
      return Introduction(identity: identity, name: name, software: software, role: role, port: port)
    } catch {
      throw TransferError(error)
    }
  }

  func makeWaker() throws(TransferError) -> Waker {
    do throws(ChannelError) { return try Waker() } catch { throw TransferError(error) }
  }

  /// The way to meet for a session, and what is told about it.
  func rendezvous(
    _ meeting: Meeting, session: OpenSession, introduction: Introduction, waker: Waker
  ) throws(TransferError) -> any Rendezvous {
    switch meeting {
    case .showing(let listen):
      return try listening(on: listen, session: session, introduction: introduction, waker: waker, showsCode: true)
    case .answering(let code):
      let key = Opening.Key(pinned: code.peer, secret: (code.secret, code.means), token: nil) { peer, token in
        try session.begin(token, with: peer)
      }
      return DialingRendezvous(
        introduction: introduction, key: key, stop: stop, waker: waker, addresses: code.find,
        answered: { session.remember(address: $0) })
    case .resuming(_, let at, let listen):
      if session.details.isListener {
        let endpoints = listen.isEmpty ? session.details.listening.compactMap { Endpoint($0) } : listen
        return try listening(
          on: endpoints, session: session, introduction: introduction, waker: waker, showsCode: false)
      }
      let known = at + session.details.addresses.compactMap { Endpoint($0) }
      var isAgain = false
      let key = Opening.Key(pinned: session.peer, secret: nil, token: session.token) { _, _ in }
      return DialingRendezvous(
        introduction: introduction, key: key, stop: stop, waker: waker,
        addresses: { () throws(TransferError) in
          // The last addresses first; only when they did not answer is the network searched.
          defer { isAgain = true }
          return isAgain ? known + Announcement.everyone().filter { !known.contains($0) } : known
        },
        answered: { session.remember(address: $0) })
    }
  }

  private func listening(
    on endpoints: [Endpoint], session: OpenSession, introduction: Introduction, waker: Waker, showsCode: Bool
  ) throws(TransferError) -> any Rendezvous {
    do throws(ChannelError) {
      let listener = try listen(on: endpoints, isAgain: !showsCode)
      let offer = showsCode ? CodeOffer(door: Announcement.freeDoor(for: listener)) : nil
      let announcement = Announcement(of: listener, door: offer?.code.door)
      session.remember(listening: endpoints.isEmpty ? [Endpoint(host: "", port: listener.port)] : listener.addresses)
      person.hear(.listening(listener.addresses.map(\.description)))
      // The pin is written by the thread that opens the connection, over a store connection of its own.
      let row = session.snapshot
      let rendezvous = try ListeningRendezvous(
        listener: listener, introduction: introduction, token: session.token, pinned: session.peer, offer: offer,
        announcement: announcement, stop: stop, waker: waker
      ) { [home] peer in
        var pinned = row
        pinned.peerKey = peer.bytes
        try RecordStore.open(home: home).save(pinned)
      }
      if let offer {
        show(offer, listener: listener, introduction: introduction)
        if let reason = announcement.hindrance {
          person.hear(.warning(Self.hidden(reason)))
        }
      }
      return rendezvous
    } catch {
      throw TransferError(error)
    }
  }

  /// On the port of before when it is free, else on any.
  private func listen(on endpoints: [Endpoint], isAgain: Bool) throws(ChannelError) -> Listener {
    do throws(ChannelError) {
      return try Listener(endpoints)
    } catch {
      guard isAgain else { throw error }
      return try Listener(endpoints.map { Endpoint(host: $0.host, port: 0) })
    }
  }

  /// What to say when no other machine can find this one.
  static func hidden(_ reason: String) -> String {
    "Other machines cannot find this one by the code alone (\(reason)): give them the address with --at."
  }

  func show(_ offer: CodeOffer, listener: Listener, introduction: Introduction) {
    let expiry = Int64(Date().timeIntervalSince1970) + Int64(CodeOffer.lifetime)
    let uri = PairingURI(
      addresses: listener.addresses, peerID: introduction.identity.peerID, secret: offer.qrSecret, expiry: expiry)
    person.hear(.code(offer.code, uri: uri.text))
  }
}
