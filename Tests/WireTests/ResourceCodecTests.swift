import BrowsingData
import Testing

@testable import Wire

@Suite struct ResourceCodecTests {
  private static let pieces: [ResourcePiece] = {
    var file = ResourceEntry(
      path: "a/é.txt", kind: .file, size: 70_003, mode: 0o755, modifiedAt: Timestamp(microseconds: -1))
    file.target = nil
    var link = ResourceEntry(path: "l", kind: .link, modifiedAt: Timestamp(microseconds: 1_700_000_000_000_000))
    link.target = "a"
    return [
      .entry(file), .bytes([1, 2, 3]), .zeros(70_000), .digest([UInt8](repeating: 7, count: 32)), .entry(link),
      .entry(ResourceEntry(path: "f", kind: .folder, modifiedAt: Timestamp(microseconds: 0))), .abandoned(5),
    ]
  }()

  private static func batch(_ pieces: [ResourcePiece], first: Int64 = 10, off: Int64 = 0) -> ChangeBatch {
    let length = pieces.reduce(Int64(0)) { $0 + $1.length }
    return ChangeBatch(log: .resources, first: first, last: first + length + off, content: .resources(pieces))
  }

  @Test func `pieces come out as they went in`() throws {
    let batch = Self.batch(Self.pieces)
    let bytes = try RecordCodec.encode(batch)
    #expect(try RecordCodec.decode(bytes) == batch)
    #expect(try RecordCodec.encode(try RecordCodec.decode(bytes)) == bytes)
  }

  @Test func `pieces that take other places than their batch says are refused`() throws {
    for off in [Int64(-1), 1] {
      #expect(throws: WireError.malformed(.sequence)) { try RecordCodec.encode(Self.batch(Self.pieces, off: off)) }
    }
    // The same from a peer: the end of the batch is moved in its bytes.
    var bytes = try RecordCodec.encode(Self.batch([.zeros(3)], first: 0))
    let place = try #require(bytes.firstIndex(of: 8))
    bytes[place + 2] += 1
    #expect(throws: WireError.self) { try RecordCodec.decode(bytes) }
  }

  @Test func `every cut of the bytes and every changed byte is read or refused, never more`() throws {
    let bytes = try RecordCodec.encode(Self.batch(Self.pieces))
    for end in 0..<bytes.count { #expect(throws: WireError.self) { try RecordCodec.decode(Array(bytes[..<end])) } }
    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << bit
        if let batch = try? RecordCodec.decode(changed) { #expect(try RecordCodec.encode(batch) == changed) }
      }
    }
  }

  @Test func `an offer says what is known of an app's files`() throws {
    var offer = Offer(
      incarnation: [UInt8](repeating: 1, count: 16), supported: [.resources],
      items: [Offer.Item(type: .resources, count: 3, bytes: 9)])
    for isCompressible in [true, false] {
      offer.resources = ResourcesNote(
        application: "org.mozilla.firefox", version: "1", platform: "linux", isCompressible: isCompressible)
      let bytes = try MessageCodec.encode(.offer(offer))
      #expect(try MessageCodec.decode(16, bytes) == .offer(offer))
    }
  }
}
