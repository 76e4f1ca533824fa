import BrowsingData
import TestSupport
import Testing

@testable import Wire

/// Nothing that a peer can send traps; what is taken is written again as the same value.
@Suite struct HostileBytesTests {
  private func mutate(_ bytes: [UInt8], _ samples: inout WireSamples) -> [UInt8] {
    var result = bytes
    for _ in 0...Int(samples.number(3)) {
      let place = Int.random(in: 0...max(0, result.count - 1), using: &samples.random)
      switch samples.number(5) {
      case 0 where !result.isEmpty: result[place] ^= 1 << UInt8.random(in: 0...7, using: &samples.random)
      case 1 where !result.isEmpty: result[place] = [0, 1, 0x7f, 0x80, 0xff][Int(samples.number(4))]
      case 2 where !result.isEmpty: result.remove(at: place)
      case 3: result.insert(contentsOf: samples.bytes(1 + Int(samples.number(3))), at: min(place, result.count))
      case 4: result = Array(result.prefix(place))
      case _: result += result.suffix(Int(samples.number(20)))
      }
    }
    return result
  }

  @Test func `a hundred thousand spoilt messages and batches never trap`() throws {
    var samples = WireSamples(seed: 2024)
    var seeds: [(UInt16, [UInt8])] = try samples.messages().map { ($0.number, try MessageCodec.encode($0)) }
    for log in RecordCodecTests.logs {
      let message = Message.batch(Batch(number: 1, changes: samples.batch(log, rows: 5)))
      seeds.append((24, try MessageCodec.encode(message)))
    }
    for log in ChangeLog.syncLogs(of: .all) {
      let message = Message.syncBatch(SyncRows(number: 1, batch: samples.syncBatch(log, rows: 5)))
      seeds.append((24, try MessageCodec.encode(message)))
    }
    var taken = 0
    for round in 0..<100_000 {
      let (number, bytes) = seeds[round % seeds.count]
      let spoilt = mutate(bytes, &samples)
      guard let message = try? MessageCodec.decode(number, spoilt) else { continue }
      taken += 1
      let again = try MessageCodec.encode(message)
      if again == spoilt { continue }
      // Only what was ignored or skipped may be missing.
      #expect(again.count < spoilt.count)
      if case .batch(let batch) = message, !batch.changes.remarks.isEmpty { continue }
      if case .syncBatch(let rows) = message, !rows.batch.remarks.isEmpty { continue }
      #expect(try MessageCodec.decode(number, again) == message)
    }
    #expect(taken > 1000)
  }

  @Test func `random streams never trap the decoder of frames`() throws {
    var samples = WireSamples(seed: 99)
    let encoder = MessageEncoder()
    let stream = try samples.messages().flatMap { try encoder.encode($0) }
    var faults = 0
    for round in 0..<2_000 {
      var decoder = MessageDecoder(isAuthenticated: round % 2 == 0)
      decoder.feed(round % 5 == 0 ? samples.bytes(64) : mutate(stream, &samples))
      var first: WireError?
      for _ in 0..<100 where first == nil {
        do {
          guard try decoder.next() != nil else { break }
        } catch {
          first = error
        }
      }
      guard let first else { continue }
      faults += 1
      decoder.feed([0, 0, 0, 3, 0, 40, 0])
      #expect(throws: first) { try decoder.next() }
    }
    #expect(faults > 500)
  }
}
