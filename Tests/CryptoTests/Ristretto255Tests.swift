import Crypto
import Testing

@Suite struct Ristretto255Tests {
  // RFC 9496, appendix A.1: the base point and its double.
  private let base = hex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
  private let double = hex("6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919")

  private func scalar(_ value: UInt8) -> SecureBytes { SecureBytes([value] + [UInt8](repeating: 0, count: 31)) }

  @Test func `two times the base point is RFC 9496's`() {
    #expect(Ristretto255.multiply(scalar(2), base)?.unprotectedCopy == double)
    #expect(Ristretto255.multiply(scalar(1), base)?.unprotectedCopy == base)
  }

  @Test func `the map equals RFC 9496 A.3`() {
    let hash = hex(
      "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
        + "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6")
    #expect(
      Ristretto255.point(fromHash: hash)
        == hex("3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46"))
  }

  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",  // the neutral element
    "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",  // RFC 9496 A.2: not canonical
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000000",  // negative
    "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",  // not a square
    "47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24",
  ])
  func `a bad encoding or the neutral element has no product`(point: String) {
    #expect(Ristretto255.multiply(Ristretto255.randomScalar(), hex(point)) == nil)
    #expect(!Ristretto255.isValid(hex(point)))
  }

  @Test func `a wrong length has no product`() {
    #expect(Ristretto255.multiply(scalar(2), Array(base.dropLast())) == nil)
    #expect(Ristretto255.multiply(scalar(2), base + [0]) == nil)
    #expect(Ristretto255.multiply(scalar(0), base) == nil)
    #expect(Ristretto255.isValid(base))
  }

  @Test func `a random scalar agrees with another one`() {
    let (a, b) = (Ristretto255.randomScalar(), Ristretto255.randomScalar())
    #expect(a != b)
    let (pointA, pointB) = (Ristretto255.multiply(a, base), Ristretto255.multiply(b, base))
    #expect(
      Ristretto255.multiply(a, pointB?.unprotectedCopy ?? [])
        == Ristretto255.multiply(b, pointA?.unprotectedCopy ?? []))
  }
}
