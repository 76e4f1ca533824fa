import Channel

extension Meeting {
  /// Shows a code and listens on these addresses, `HOST:PORT`; none: on all, on any free port.
  package static func showing(listen: [String]) throws(TransferError) -> Meeting {
    .showing(listen: try endpoints(listen))
  }

  /// Goes on with the newest open transfer.
  package static func resuming(at: [String], listen: [String]) throws(TransferError) -> Meeting {
    .resuming(nil, at: try endpoints(at), listen: try endpoints(listen))
  }

  /// Answers a code, ten digits or the whole `wherry:` address of a QR code, at these addresses (`HOST:PORT`); none: where
  /// the network says that it is shown.
  package static func answering(_ code: String, at: [String]) throws(TransferError) -> Meeting {
    let at = try endpoints(at)
    if PairingURI.isLike(code) {
      guard let uri = PairingURI(code) else {
        throw TransferError(.wrongCode, "That is not the address of a Wherry QR code.", hint: "Copy all of it.")
      }
      return .answering(
        AnsweredCode(secret: uri.secret, means: .qrCode, peer: uri.peerID) { () throws(TransferError) in
          at.isEmpty ? uri.addresses : at
        })
    }
    let typed: PairingCode
    do throws(PairingCode.Fault) {
      typed = try PairingCode(code)
    } catch {
      throw TransferError(.wrongCode, "That is no code: it has ten digits, the last of which must fit.")
    }
    return .answering(
      AnsweredCode(secret: typed.secret, means: .digits, peer: nil) { () throws(TransferError) in
        at.isEmpty ? try neighbours(showing: typed.door) : at
      })
  }

  private static func endpoints(_ texts: [String]) throws(TransferError) -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for text in texts {
      guard let endpoint = Endpoint(text) else {
        throw TransferError(.failed, "An address is written HOST:PORT, [IPv6]:PORT or :PORT.")
      }
      endpoints.append(endpoint)
    }
    return endpoints
  }

  /// Where the one device is that shows a code with these door digits. A code is never tried on a second device.
  private static func neighbours(showing door: UInt8) throws(TransferError) -> [Endpoint] {
    let found: [FoundDevice]
    do throws(DiscoveryError) {
      found = try Discovery.browse(until: .after(seconds: 5)) { $0.contains { $0.door == door } }
    } catch {
      throw TransferError(
        .notFound, "Devices cannot be found by themselves here: the Avahi daemon does not run.",
        hint: "Give the address that the other machine shows.")
    }
    let those = found.filter { $0.door == door && !$0.endpoints.isEmpty }
    guard let only = those.first, those.count == 1 else {
      throw TransferError(
        .notFound, "\(those.isEmpty ? "No device" : "More than one device") in this network shows that code.",
        hint: "Give the address that the other machine shows.")
    }
    return only.endpoints
  }
}
