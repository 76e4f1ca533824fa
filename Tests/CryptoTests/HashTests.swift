import Crypto
import Testing

@Suite struct HashTests {
  private let abc = Array("abc".utf8)

  @Test func `MD5 of abc is that of RFC 1321`() {
    #expect(Hash.md5(abc) == hex("900150983cd24fb0d6963f7d28e17f72"))
  }

  @Test func `the SHA family of abc is that of FIPS 180`() {
    #expect(Hash.sha1(abc) == hex("a9993e364706816aba3e25717850c26c9cd0d89d"))
    #expect(Hash.sha256(abc) == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      Hash.sha384(abc)
        == hex(
          "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"))
    #expect(
      Hash.sha512(abc)
        == hex(
          "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"))
  }

  @Test func `BLAKE2b of abc is that of RFC 7693`() {
    #expect(
      Hash.blake2b(abc, length: 64)
        == hex(
          "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"))
  }

  @Test func `BLAKE2b to 16 bytes is the same as array and as words`() {
    // b2sum -l 128
    let bytes = Hash.blake2b(abc, length: 16)
    #expect(bytes == hex("cf4ab791c62b8d2b2109c90275287816"))
    let words = abc.withUnsafeBytes { Hash.blake2b128($0) }
    #expect(words.high == 0xcf4a_b791_c62b_8d2b)
    #expect(words.low == 0x2109_c902_7528_7816)
  }

  @Test func `the hash of nothing needs no memory`() {
    #expect(Hash.blake2b([], length: 32) == Hash.blake2b(UnsafeRawBufferPointer(start: nil, count: 0), length: 32))
    #expect(Hash.sha256([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
  }

  @Test func `SipHash-128 equals the reference vectors`() {
    // vectors_sip128 of the reference implementation: key 00..0f, inputs of 0 and 15 bytes
    let key = (0..<16).map { UInt8($0) }
    #expect(Hash.sipHash128([], key: key) == hex("a3817f04ba25a8e66df67214c7550293"))
    let input = (0..<15).map { UInt8($0) }
    let bytes = Hash.sipHash128(input, key: key)
    #expect(bytes == hex("5493e99933b0a8117e08ec0f97cfc3d9"))
    let words = input.withUnsafeBytes { input in key.withUnsafeBytes { Hash.sipHash128(input, key: $0) } }
    #expect(words.high == 0x5493_e999_33b0_a811)
    #expect(words.low == 0x7e08_ec0f_97cf_c3d9)
  }

  @Test func `a stream gives the hash of its pieces and may go on`() {
    let stream = SHA256Stream()
    stream.update(Array("a".utf8))
    stream.update(Array("bc".utf8))
    #expect(stream.digest() == Hash.sha256(abc))
    stream.update([])
    stream.update(Array("d".utf8))
    #expect(stream.digest() == Hash.sha256(Array("abcd".utf8)))
  }
}
