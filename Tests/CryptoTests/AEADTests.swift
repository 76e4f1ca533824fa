import Crypto
import Testing

@Suite struct AEADTests {
  @Test func `opening equals the vector of draft-irtf-cfrg-xchacha A.3.1`() throws {
    let key = SecureBytes((0x80...0x9f).map { UInt8($0) })
    let nonce = (0x40...0x57).map { UInt8($0) }
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      + "sunscreen would be it."
    let sealed = hex(
      "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
        + "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
        + "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49")
    let opened = try AEAD.open(key: key, nonce + sealed, associated: hex("50515253c0c1c2c3c4c5c6c7"))
    #expect(opened == Array(text.utf8))
  }

  @Test func `sealing twice gives two different texts that both open`() throws {
    let key = SecureBytes.random(count: 32)
    for plaintext in [[], Array("hunter2".utf8)] {
      let (first, second) = (
        AEAD.seal(key: key, plaintext, associated: [1]), AEAD.seal(key: key, plaintext, associated: [1])
      )
      #expect(first != second)
      #expect(first.count == plaintext.count + AEAD.overhead)
      #expect(try AEAD.open(key: key, first, associated: [1]) == plaintext)
      #expect(try AEAD.open(key: key, second, associated: [1]) == plaintext)
    }
  }

  @Test func `another key, other associated bytes or a flipped bit is refused`() {
    let key = SecureBytes.random(count: 32)
    let sealed = AEAD.seal(key: key, [1, 2, 3], associated: [7])
    #expect(throws: CryptoError.authenticationFailed) { try AEAD.open(key: key, sealed, associated: [8]) }
    #expect(throws: CryptoError.authenticationFailed) {
      try AEAD.open(key: .random(count: 32), sealed, associated: [7])
    }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CryptoError.authenticationFailed) { try AEAD.open(key: key, changed, associated: [7]) }
    }
    #expect(throws: CryptoError.invalidInput("shorter than nonce and tag")) {
      try AEAD.open(key: key, Array(sealed.prefix(39)), associated: [7])
    }
  }
}

@Suite struct SecureBytesTests {
  @Test func `a secret never shows in a description, a dump or an interpolation`() {
    let secret = SecureBytes(Array("hunter2".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("•••"))
    }
  }

  @Test func `equal bytes are equal, others are not`() {
    #expect(SecureBytes([1, 2]) == SecureBytes([1, 2]))
    #expect(SecureBytes([1, 2]) != SecureBytes([1, 3]))
    #expect(SecureBytes([]) != SecureBytes([1]))
    #expect(SecureBytes([]) == SecureBytes([]))
    #expect(ConstantTime.equal([1, 2], [1, 2]))
    #expect(!ConstantTime.equal([1, 2], [2, 2]))
    #expect(!ConstantTime.equal([1, 2], [1]))
  }
}

@Suite struct RandomTests {
  @Test func `two draws of 32 bytes differ, and a bound is kept`() {
    #expect(Random.bytes(32) != Random.bytes(32))
    #expect(Random.bytes(0).isEmpty)
    #expect((0..<1_000).allSatisfy { _ in Random.uniform(below: 10) < 10 })
    #expect(Set((0..<1_000).map { _ in Random.uniform(below: 10) }).count == 10)
    #expect(Random.uniform(below: 1) == 0)
  }
}
