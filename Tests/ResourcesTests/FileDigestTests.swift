import Crypto
import Foundation
import TestSupport
import Testing

@testable import Resources

@Suite struct FileDigestTests {
  /// By the definition, without anything clever.
  private func judged(_ bytes: [UInt8]) -> [UInt8] {
    var spelt: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 65_536) {
      let block = bytes[start..<min(start + 65_536, bytes.count)]
      spelt += block.allSatisfy { $0 == 0 } ? [0] : [1] + block
    }
    return Hash.sha256(spelt)
  }

  @Test func `it is the same however the bytes come, with zeros as bytes or as numbers`() {
    var random = SeededGenerator(seed: 9)
    for size in [0, 1, 65_535, 65_536, 65_537, 200_000, 400_000] {
      var bytes = [UInt8](repeating: 0, count: size)
      for _ in 0..<3 where size > 0 {
        bytes[Int.random(in: 0..<size, using: &random)] = UInt8.random(in: 1...255, using: &random)
      }
      let expected = judged(bytes)
      for _ in 0..<6 {
        let digest = FileDigest()
        var place = 0
        while place < size {
          let count = min(size - place, Int.random(in: 1...150_000, using: &random))
          let part = Array(bytes[place..<place + count])
          if part.allSatisfy({ $0 == 0 }), Bool.random(using: &random) {
            digest.updateZeros(Int64(count))
          } else {
            digest.update(part)
          }
          place += count
        }
        #expect(digest.finish() == expected, "\(size)")
      }
    }
  }

  @Test func `holes of a file count as zeros`() throws {
    let container = Container()
    try container.writeSparse("sparse", size: 1_000_000)
    let file = try OpenFile(open(container.path + "/sparse", O_RDONLY), doing: "test")
    let digest = FileDigest()
    try digest.update(file, upTo: 1_000_000)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: container.path + "/sparse"))
    #expect(digest.finish() == judged(Array(bytes)))
  }
}
