import Channel
import Crypto
package import Store
import Wire

/// Tells a device that the pairing is over, if it can be reached at once.
package struct Farewell {
  private let setting: SessionSetting

  /// For this home.
  package init(_ setting: SessionSetting) { self.setting = setting }

  /// Tries the last addresses; whether the device has heard.
  package func say(to peer: Peer) -> Bool {
    guard let id = peer.id, let introduction = try? setting.introduction(.sync) else { return false }
    for address in peer.addresses.compactMap({ Endpoint($0) }) {
      guard let socket = try? Socket.connect(to: address, until: .after(seconds: 3)),
        let context = try? introduction.identity.context(.connector, peers: .pinned([id])),
        let stream = try? SecureStream(socket, context: context)
      else { continue }
      let opening = Opening(introduction: introduction, link: MessageLink(stream), waker: nil)
      guard let contact = try? opening.recognize(isDialed: true) else { continue }
      contact.link.send(.unpair)
      contact.link.close()
      return true
    }
    return false
  }
}
