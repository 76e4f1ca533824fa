import Channel
import Crypto
import Store
import Wire

/// Looks for one paired device and connects to it. Blocks; used by one thread.
struct DeviceDialer {
  let introduction: Introduction
  let id: PeerID
  /// Where to dial first.
  let addresses: [Endpoint]
  /// Whether the network is searched when nobody answers there.
  let searches: Bool
  /// Whether it is to be given up.
  let isOver: () -> Bool

  /// Tries the addresses, then every device that is found. The pin decides: whoever else answers is left alone.
  func dial() throws(OpeningFailure) -> (DeviceContact, Endpoint) {
    var failure: OpeningFailure?
    for address in addresses where !isOver() {
      do throws(OpeningFailure) { return (try dial(address), address) } catch { note(error, in: &failure) }
    }
    if searches, !isOver() {
      for address in Announcement.everyone() where !addresses.contains(address) && !isOver() {
        do throws(OpeningFailure) { return (try dial(address), address) } catch { note(error, in: &failure) }
      }
    }
    throw failure ?? .channel(.unreachable("no address"))
  }

  /// What the device itself said weighs more than that nobody, or somebody else, answered.
  private func note(_ error: OpeningFailure, in failure: inout OpeningFailure?) {
    if failure == nil || weight(error) > weight(failure ?? .lost) { failure = error }
  }

  private func weight(_ failure: OpeningFailure) -> Int {
    switch failure {
    case .peer, .here: 4
    case .channel(.refusedByPeer): 3
    case .lost: 2
    case .channel(.identityChanged): 1
    case .channel, .nowhere: 0
    }
  }

  private func dial(_ address: Endpoint) throws(OpeningFailure) -> DeviceContact {
    let stream: SecureStream
    do throws(ChannelError) {
      let socket = try Socket.connect(to: address, until: .after(seconds: 4))
      stream = try SecureStream(socket, context: introduction.identity.context(.connector, peers: .pinned([id])))
    } catch {
      throw .channel(error)
    }
    return try Opening(introduction: introduction, link: MessageLink(stream), waker: nil).recognize(isDialed: true)
  }
}
