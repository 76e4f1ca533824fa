import Crypto
import Testing

@Suite struct HMACTests {
  @Test func `the tags of RFC 4231 test case 2`() {
    let (key, data) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
    #expect(
      HMAC.sha256(key: key, data) == hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    #expect(
      HMAC.sha512(key: key, data)
        == hex(
          "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
            + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"))
  }

  @Test func `the SHA-1 tag of RFC 2202 test case 2, and an empty key`() {
    let data = Array("what do ya want for nothing?".utf8)
    #expect(HMAC.sha1(key: Array("Jefe".utf8), data) == hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
    #expect(
      HMAC.sha256(key: [], []) == hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
  }
}

@Suite struct PBKDF2Tests {
  @Test func `SHA-1 equals RFC 6070`() throws {
    let key = try PBKDF2.derive(
      .sha1, password: Array("password".utf8), salt: Array("salt".utf8), iterations: 4_096, length: 20)
    #expect(key == hex("4b007901b765489abead49d926f721d065a429c1"))
  }

  @Test func `SHA-256 equals RFC 7914`() throws {
    let key = try PBKDF2.derive(
      .sha256, password: Array("passwd".utf8), salt: Array("salt".utf8), iterations: 1, length: 64)
    #expect(
      key
        == hex(
          "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
            + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"))
  }

  @Test(arguments: [(0, 20), (10_000_001, 20), (1, 0), (1, 1_025)])
  func `counts no sane file has are refused`(iterations: Int, length: Int) {
    #expect(throws: CryptoError.invalidInput("PBKDF2 parameters")) {
      try PBKDF2.derive(.sha1, password: [], salt: [], iterations: iterations, length: length)
    }
  }
}
