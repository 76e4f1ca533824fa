import Crypto
import Testing

@testable import Channel

/// Seeded random damage to everything that is read from people, QR codes and the network: nothing traps, and what is
/// taken is written again as it was.
@Suite struct HostileTextTests {
  private let seeds = [
    "wherry:1?a=192.168.1.7:40123,[fd00::1]:40123&k=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
      + "&s=ABEiM0RVZneImaq7zN3u_w&e=1800000000",
    "48 219 365 74", "[fe80::1%eth0]:65535", "127.0.0.1:40123", "v=1 d=48",
  ]
  private let pieces: [String] = [
    "&", "=", ",", ":", "[", "]", "%", "\0", "\u{7f}", "é", "𝟗", "٣", "&a=", "&k=", "99999999999999999999", "-", "+",
    " ",
    "\u{202e}", "wherry:1?", "d=", "",
  ]

  @Test func `damaged texts are refused or read exactly, and never trap`() {
    var random = Generator(state: 42)
    var taken = 0
    for _ in 0..<20_000 {
      let text = damaged(seeds[random.below(seeds.count)], &random)
      if let endpoint = Endpoint(text) {
        taken += 1
        #expect(Endpoint(endpoint.description) == endpoint)
      }
      if let uri = PairingURI(text), uri.addresses.count < 3 {
        taken += 1
        #expect(PairingURI(uri.text) == uri)
      }
      if let code = try? PairingCode(text) {
        taken += 1
        #expect((try? PairingCode(code.shown)) == code)
      }
      if let advertisement = Advertisement(strings: text.split(separator: " ").map { Array($0.utf8) }) {
        taken += 1
        #expect(Advertisement(strings: advertisement.strings.map { Array($0.utf8) }) == advertisement)
      }
      if let bytes = Base64URL.decode(text[...]) {
        #expect(Base64URL.encode(bytes) == text)
      }
    }
    #expect(taken > 100)
  }

  @Test func `any bytes come back from their base 64, and only from that one`() {
    var random = Generator(state: 7)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(random.below(256)) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)[...]) == bytes)
    }
    #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    for bad in ["A", "AB", "AAB", "AA=", "A+", "A/", "-_9"] { #expect(Base64URL.decode(bad[...]) == nil) }
  }

  @Test func `shares of random bytes never get past a listener as an attempt unless they are points`() {
    var random = Generator(state: 3)
    let scalar = Ristretto255.randomScalar()
    let setup = PairingSetup(
      channel: [1], session: [2], connectorHello: [3], listenerHello: [4], scalar: scalar)
    for _ in 0..<500 {
      let bytes = (0..<32).map { _ in UInt8(random.below(256)) }
      var machine = PairingStateMachine(listener: setup)
      let action = machine.handle(
        .shareReceived(
          PairingShare(share: bytes, associated: setup.connectorAssociated(.digits), means: .digits)))
      #expect(action == (Ristretto255.isValid(bytes) ? .takeAttempt(.digits) : .fail(.malformedShare)))
    }
  }

  private func damaged(_ text: String, _ random: inout Generator) -> String {
    var characters = Array(text)
    for _ in 0..<random.below(3) {
      let index = random.below(characters.count)
      switch random.below(3) {
      case 0: characters.remove(at: index)
      case 1: characters.insert(contentsOf: pieces[random.below(pieces.count)], at: index)
      default: characters[index] = characters[random.below(characters.count)]
      }
      if characters.isEmpty { break }
    }
    return String(characters)
  }
}

/// A small seeded generator: the same every time.
private struct Generator {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(1, bound)))
  }
}
