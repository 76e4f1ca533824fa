import Crypto
import Testing

@testable import Channel

/// The vectors of draft-irtf-cfrg-cpace, appendix B.3 (ristretto255 and SHA-512).
@Suite struct CPaceTests {
  private let secret = Array("Password".utf8)
  private let channel = hex("6f630b425f726573706f6e6465720b415f696e69746961746f72")
  private let session = hex("7e4b4791d6a8ef019b936c79fb7f2c57")
  private let scalarA = SecureBytes(hex("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08"))
  private let scalarB = SecureBytes(hex("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d"))
  private let shareA = hex("d40fb265a7abeaee7939d91a585fe59f7053f982c296ec413c624c669308f87a")
  private let shareB = hex("08bcf6e9777a9c313a3db6daa510f2d398403319c2341bd506a92e672eb7e307")
  private let key = hex(
    "4c5469a16b2364c4b944ebc1a79e51d1674ad47db26e8718154f59faebfaa52d"
      + "8346f30aa58377117eb20d527f2cbc5c76381f7fd372e89df8239f87f2e02ed1")

  @Test func `the generator string and the generator`() {
    let string = CPace.generatorString(secret: secret, channel: channel, session: session)
    let zeros = [UInt8](repeating: 0, count: 100)
    #expect(
      string == hex("11435061636552697374726574746f3235350850617373776f726464") + zeros
        + hex("1a6f630b425f726573706f6e6465720b415f696e69746961746f72107e4b4791d6a8ef019b936c79fb7f2c57"))
    #expect(
      CPace.generator(secret: secret, channel: channel, session: session)
        == hex("a6fc82c3b8968fbb2e06fee81ca858586dea50d248f0c7ca6a18b0902a30b36b"))
  }

  @Test func `both shares`() {
    let generator = CPace.generator(secret: secret, channel: channel, session: session)
    #expect(CPace.share(scalarA, generator: generator) == shareA)
    #expect(CPace.share(scalarB, generator: generator) == shareB)
  }

  @Test func `both sides reach the draft's session key`() {
    let (first, second) = ((shareA, Array("ADa".utf8)), (shareB, Array("ADb".utf8)))
    let a = CPace.sessionKey(scalar: scalarA, peerShare: shareB, session: session, first: first, second: second)
    let b = CPace.sessionKey(scalar: scalarB, peerShare: shareA, session: session, first: first, second: second)
    #expect(a == key)
    #expect(b == key)
  }

  @Test func `a piece of 128 bytes or more has a length of two bytes`() {
    #expect(CPace.withLength([]) == [0])
    #expect(CPace.withLength([UInt8](repeating: 7, count: 127)).prefix(1) == [127])
    #expect(CPace.withLength([UInt8](repeating: 7, count: 300)).prefix(2) == [0xac, 2])
  }

  @Test func `a share that is no point, or the neutral element, gives no key`() {
    for bad in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32), [], Array(shareA.dropLast())] {
      let result = CPace.sessionKey(
        scalar: scalarA, peerShare: bad, session: session, first: (shareA, []), second: (bad, []))
      #expect(result == nil)
    }
  }
}

/// Bytes from hexadecimal digits.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}
