import BrowsingData
import TestSupport
import Testing

@testable import Wire

@Suite struct FrameTests {
  private func messages() -> [Message] {
    var samples = WireSamples(seed: 3)
    return samples.messages() + [.batch(Batch(number: 1, changes: samples.batch(.visits, rows: 400)))]
  }

  private func stream() throws -> [UInt8] {
    let encoder = MessageEncoder()
    return try messages().flatMap { try encoder.encode($0) }
  }

  private func read(_ decoder: inout MessageDecoder) throws -> [Message] {
    var result: [Message] = []
    while let message = try decoder.next() { result.append(message) }
    return result
  }

  @Test func `frames are the same whole, coalesced, cut anywhere and byte by byte`() throws {
    let bytes = try stream()
    for size in [bytes.count, 1, 2, 3, 5, 7, 64, 1000] {
      var decoder = MessageDecoder(isAuthenticated: true)
      var found: [Message] = []
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + size)
        decoder.feed(bytes[start..<end])
        found += try read(&decoder)
        start = end
      }
      #expect(found == messages())
      #expect(!decoder.isWithinFrame)
    }
  }

  @Test func `a stream that ends within a frame gives nothing more`() throws {
    let bytes = try MessageEncoder().encode(messages()[1])
    for count in 0..<bytes.count {
      var decoder = MessageDecoder()
      decoder.feed(bytes.prefix(count))
      #expect(try decoder.next() == nil)
      #expect(decoder.isWithinFrame == (count > 0))
    }
  }

  @Test(arguments: [
    (0, false, false), (2, false, false), (3, false, true), (4096, false, true), (4097, false, false),
    (4097, true, true), (1_048_576, true, true), (1_048_577, true, false), (0x7fff_ffff, true, false),
    (0xffff_ffff, true, false),
  ]) func `a length outside its limits is refused before its bytes come`(
    _ length: UInt32, _ isAuthenticated: Bool, _ isTaken: Bool
  ) throws {
    var decoder = FrameDecoder(isAuthenticated: isAuthenticated)
    var writer = ByteWriter()
    writer.bigEndian(length)
    decoder.feed(writer.bytes)
    if isTaken {
      #expect(try decoder.next() == nil)
    } else {
      #expect(throws: WireError.malformed(.frameSize)) { try decoder.next() }
      decoder.feed([0, 0, 0, 3, 0, 1, 0])
      #expect(throws: WireError.malformed(.frameSize)) { try decoder.next() }
    }
  }

  @Test func `flags that do not exist, and compression before authentication, are refused`() throws {
    for (flags, isAuthenticated) in [(2, true), (0x80, true), (1, false), (3, true)] as [(UInt8, Bool)] {
      var decoder = FrameDecoder(isAuthenticated: isAuthenticated)
      decoder.feed([0, 0, 0, 9, 0, 40, flags])
      #expect(throws: WireError.malformed(.flags)) { try decoder.next() }
    }
  }

  @Test func `a frame that no peer takes is not sent`() {
    #expect(throws: WireError.malformed(.frameSize)) {
      try Frame(type: 1, payload: [UInt8](repeating: 0, count: Limits.frame - 2)).encoded()
    }
  }

  @Test func `batches are compressed unless they hold secrets`() throws {
    var samples = WireSamples(seed: 4)
    for (log, isCompressed) in [(ChangeLog.bookmarks, true), (.visits, true), (.passwords, false), (.cards, false)] {
      let message = Message.batch(Batch(number: 1, changes: samples.batch(log, rows: 200)))
      let bytes = try MessageEncoder().encode(message)
      #expect(bytes[6] == (isCompressed ? 1 : 0))
      var decoder = MessageDecoder(isAuthenticated: true)
      decoder.feed(bytes)
      #expect(try decoder.next() == message)
    }
  }
}

@Suite struct BatchCompressionTests {
  @Test func `what is compressed comes back, with one context for all`() throws {
    let compressor = BatchCompressor()
    let decompressor = BatchDecompressor()
    var samples = WireSamples(seed: 8)
    for size in [1, 100, 5_000, 1_000_000, 4_194_304] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
      guard let small = compressor.compress(bytes) else { continue }
      #expect(small.count < bytes.count)
      #expect(try decompressor.decompress(small) == bytes)
      #expect(throws: WireError.malformed(.compression)) { try decompressor.decompress(small + [0]) }
      #expect(throws: WireError.malformed(.compression)) { try decompressor.decompress(small + small) }
      #expect(throws: WireError.malformed(.compression)) { try decompressor.decompress(Array(small.dropLast())) }
      #expect(throws: WireError.malformed(.compression)) { try decompressor.decompress(small, limit: size - 1) }
    }
    #expect(compressor.compress(samples.bytes(1000)) == nil)
    #expect(compressor.compress([]) == nil)
  }

  @Test func `bombs and frames without their size are refused`() throws {
    let decompressor = BatchDecompressor()
    let bomb = try #require(BatchCompressor().compress([UInt8](repeating: 0, count: 64 << 20)))
    #expect(bomb.count < 10_000)
    #expect(throws: WireError.malformed(.compression)) { try decompressor.decompress(bomb) }
    // A frame that declares no size, one that declares 2^62, a skippable one, an empty one, no magic number.
    for bytes in [
      [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00],
      [0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0],
      [0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9], [], [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ] as [[UInt8]] {
      #expect(throws: WireError.malformed(.compression)) { try decompressor.decompress(bytes) }
    }
  }

  @Test func `a declared size that is not the true one is refused`() throws {
    let bytes = [UInt8](repeating: 5, count: 300)
    let small = try #require(BatchCompressor().compress(bytes))
    // Bytes 5 and 6 hold the size less 256.
    for wrong in [43, 45] as [UInt8] {
      var spoilt = small
      try #require(spoilt[5] == 44)
      spoilt[5] = wrong
      #expect(throws: WireError.malformed(.compression)) { try BatchDecompressor().decompress(spoilt) }
    }
  }
}
