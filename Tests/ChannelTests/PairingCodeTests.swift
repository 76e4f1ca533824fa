import Channel
import Crypto
import Testing

@Suite struct PairingCodeTests {
  @Test func `a code is shown in four groups and read back from any writing of them`() throws {
    for door in [UInt8(0), 7, 48, 99] {
      let code = PairingCode.random(door: door)
      #expect(code.door == door)
      #expect(code.shown.count == 13)
      let digits = code.shown.filter { $0 != " " }
      for text in [
        code.shown, digits, code.shown.replacing(" ", with: "-"), code.shown.replacing(" ", with: ". "),
        " \(digits)\n", digits.map(String.init).joined(separator: "_"), code.shown.replacing(" ", with: "\u{a0}"),
      ] {
        #expect(try PairingCode(text) == code)
      }
    }
  }

  @Test func `every wrong digit and every swap of neighbours is found before any network`() throws {
    for _ in 0..<200 {
      let digits = Array(PairingCode.random(door: 48).shown.filter { $0 != " " })
      for index in digits.indices {
        for other in "0123456789" where other != digits[index] {
          var wrong = digits
          wrong[index] = other
          #expect(throws: PairingCode.Fault.checkDigit) { try PairingCode(String(wrong)) }
        }
        guard index > 0, digits[index] != digits[index - 1] else { continue }
        var swapped = digits
        swapped.swapAt(index, index - 1)
        #expect(throws: PairingCode.Fault.checkDigit) { try PairingCode(String(swapped)) }
      }
    }
  }

  @Test(arguments: [
    "", "1", "48 219 365 7", "48 219 365 741", "4821936a74", "48 219 365 ７4x", "wherry:1?a=", "½219365740",
  ])
  func `what is not ten digits is refused`(text: String) {
    #expect(throws: PairingCode.Fault.notTenDigits) { try PairingCode(text) }
  }

  @Test func `digits of other scripts count as the digits they are`() throws {
    let code = PairingCode.random(door: 12)
    let arabic = String(
      code.shown.map { $0.wholeNumberValue.map { Character(UnicodeScalar(0x660 + UInt32($0))!) } ?? $0 })
    #expect(try PairingCode(arabic) == code)
  }

  @Test func `codes are spread over all secrets`() {
    let codes = Set((0..<2_000).map { _ in PairingCode.random(door: 3).shown })
    #expect(codes.count > 1_990)
  }

  @Test func `door digits avoid those that are taken`() {
    let taken = Set((0..<99).map { UInt8($0) })
    #expect((0..<50).allSatisfy { _ in PairingCode.randomDoor(avoiding: taken) == 99 })
    #expect(PairingCode.randomDoor(avoiding: Set((0..<100).map { UInt8($0) })) < 100)
  }

  @Test func `a code does not print itself`() {
    let code = PairingCode.random(door: 48)
    var dumped = ""
    dump(code, to: &dumped)
    for text in ["\(code)", String(reflecting: code), dumped] {
      #expect(!text.contains(code.shown))
      #expect(!text.contains(code.shown.filter { $0 != " " }))
    }
  }
}

@Suite struct PairingURITests {
  private let id = PeerID(bytes: (0..<32).map { UInt8($0) })!
  private let secret = SecureBytes((0..<16).map { UInt8($0 &* 17) })

  @Test func `a URI reads as it was written`() throws {
    let uri = PairingURI(
      addresses: [Endpoint("192.168.1.7:40123"), Endpoint("[fd00::1]:40123")].compactMap { $0 }, peerID: id,
      secret: secret, expiry: 1_800_000_000)
    #expect(
      uri.text
        == "wherry:1?a=192.168.1.7:40123,[fd00::1]:40123&k=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        + "&s=ABEiM0RVZneImaq7zN3u_w&e=1800000000")
    #expect(PairingURI(uri.text) == uri)
    #expect(!"\(uri)".contains("ABEiM"))
  }

  @Test func `addresses are dropped from the end until it fits`() throws {
    let many = (1...40).map { Endpoint(host: "fd00:1234:5678::\($0)", port: 40_000) }
    let uri = PairingURI(addresses: many, peerID: id, secret: secret, expiry: 1_800_000_000)
    #expect(uri.text.utf8.count <= PairingURI.longest)
    let read = try #require(PairingURI(uri.text))
    #expect(read.addresses == Array(many.prefix(4)))
    #expect(PairingURI(PairingURI(addresses: [], peerID: id, secret: secret, expiry: 0).text)?.addresses == [])
  }

  @Test func `unknown keys are ignored, any order is fine`() {
    let text = PairingURI(addresses: [], peerID: id, secret: secret, expiry: 5).text
    let parts = text.dropFirst(9).split(separator: "&").reversed().joined(separator: "&")
    #expect(PairingURI("wherry:1?x=1&" + parts) != nil)
  }

  @Test func `a missing, doubled, cut or malformed part is refused`() throws {
    let text = PairingURI(
      addresses: [Endpoint(host: "10.0.0.1", port: 9)], peerID: id, secret: secret, expiry: 5
    ).text
    #expect(PairingURI(text) != nil)
    for cut in 0..<(text.utf8.count - 1) { #expect(PairingURI(String(text.prefix(cut))) == nil) }
    for bad in [
      text + "&a=10.0.0.1:9", text.replacing("10.0.0.1:9", with: "10.0.0.1:0"), text + "&",
      text.replacing("10.0.0.1:9", with: "10.0.0.1"), text.replacing("&e=5", with: "&e=-5"),
      text.replacing("&s=", with: "&s=A"), text.replacing("wherry:1", with: "wherry:2"),
      text.replacing("10.0.0.1:9", with: "10.0.0.1:9,"), text.replacing("10.0.0.1:9", with: ":9"),
    ] {
      #expect(PairingURI(bad) == nil, "\(bad)")
    }
  }
}

@Suite struct EndpointTests {
  @Test(arguments: [
    "127.0.0.1:40123", "[::1]:0", "[fe80::1%eth0]:65535", "laptop.local:80", ":7",
  ])
  func `an endpoint reads as it is written`(text: String) {
    #expect(Endpoint(text)?.description == text)
  }

  @Test(arguments: [
    "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::1]", "[::1]80", "a b:1", "a\n:1", "h:+1", "h:-1",
    "h:1 ",
    "[]:1", "a,b:1", "[a]]:1",
  ])
  func `anything else is refused`(text: String) {
    #expect(Endpoint(text) == nil)
  }
}

@Suite struct CodeOfferTests {
  private let first: PeerID
  private let second: PeerID

  init() throws {
    first = try #require(PeerID(bytes: [UInt8](repeating: 1, count: 32)))
    second = try #require(PeerID(bytes: [UInt8](repeating: 2, count: 32)))
  }

  @Test func `three attempts and no more, of whatever means`() {
    let offer = CodeOffer(door: 48)
    #expect(offer.takeAttempt(.digits, by: first) == .granted(offer.code.secret))
    #expect(offer.takeAttempt(.qrCode, by: first) == .granted(offer.qrSecret))
    #expect(offer.attemptsLeft == 1)
    #expect(offer.takeAttempt(.digits, by: first) == .granted(offer.code.secret))
    #expect(offer.takeAttempt(.digits, by: first) == .usedUp)
    // Any of the three may be the right one, as long as it is under way.
    for _ in 0..<3 {
      #expect(offer.isBeingTried && !offer.isDead())
      offer.endAttempt()
    }
    #expect(offer.isDead())
  }

  @Test func `ten minutes and no longer`() {
    let end = Deadline(nanoseconds: 1_000)
    let offer = CodeOffer(door: 48, end: end)
    #expect(offer.takeAttempt(.digits, by: first, now: Deadline(nanoseconds: 999)) != .expired)
    #expect(offer.takeAttempt(.digits, by: first, now: end) == .expired)
    #expect(offer.attemptsLeft == 2)
    let fresh = CodeOffer(door: 1)
    #expect(!fresh.isDead(now: .after(seconds: 599)))
    #expect(fresh.isDead(now: .after(seconds: 601)))
  }

  @Test func `one success and no second one`() {
    let offer = CodeOffer(door: 48)
    #expect(offer.takeAttempt(.digits, by: first) != .usedUp)
    #expect(offer.use(by: first))
    #expect(!offer.use(by: second))
    #expect(offer.takeAttempt(.digits, by: second) == .usedUp)
    // The one that used it may come again: its connection may have been lost before it heard of its success.
    #expect(offer.takeAttempt(.digits, by: first) == .granted(offer.code.secret))
    #expect(offer.use(by: first))
    #expect(offer.attemptsLeft == 0)
    #expect(offer.attemptsLeft == 0)
  }

  @Test func `two offers share no secret`() {
    let (first, second) = (CodeOffer(door: 1), CodeOffer(door: 1))
    #expect(first.qrSecret != second.qrSecret)
    #expect(first.qrSecret.count == 16)
  }
}
