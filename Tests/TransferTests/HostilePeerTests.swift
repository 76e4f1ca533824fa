import BrowsingData
import Channel
import Foundation
import Store
import TestSupport
import Testing
import Wire

@testable import Transfer

/// Peers that are paired and then break the protocol: whatever they say, the session ends with a clear word and the store
/// holds nothing of it, or only what was right before.
@Suite(.serialized) struct HostilePeerTests {
  /// What a hostile exporter does once batches may flow, and the word that it hears.
  enum Misdeed: String, CaseIterable {
    case typeNotGranted, wrongStart, goingBack, rubbishFrame, hugeFrame, shortFrame, unknownCritical, unknownFlag
    case tooManyRecords, badCompression, trailingBytes, wrongOrder, importersWord, secondHello, lostDigest

    var answer: ErrorCode {
      switch self {
      case .typeNotGranted: .typeNotGranted
      case .wrongStart, .goingBack: .cursor
      case .rubbishFrame, .hugeFrame, .shortFrame: .frameSize
      case .unknownCritical: .unknownCritical
      case .unknownFlag, .badCompression, .trailingBytes, .wrongOrder: .malformed
      case .tooManyRecords: .limit
      case .importersWord, .secondHello: .unexpected
      case .lostDigest: .digest
      }
    }

    /// The bytes of it.
    func bytes() throws -> [UInt8] {
      let good = try MessageCodec.encode(HostilePeer.batch())
      switch self {
      case .typeNotGranted: return try frame(HostilePeer.batch(.passwords))
      case .wrongStart: return try frame(HostilePeer.batch(first: 99, last: 100))
      case .goingBack: return try frame(HostilePeer.batch()) + frame(HostilePeer.batch(number: 2))
      case .rubbishFrame: return [0xff, 0xff, 0xff, 0xff] + [UInt8](repeating: 0xaa, count: 5_000)
      case .hugeFrame: return [0x00, 0x20, 0x00, 0x00, 0, 24, 0]
      case .shortFrame: return [0, 0, 0, 2, 0, 24]
      case .unknownCritical: return try Frame(type: 4_000, payload: []).encoded()
      case .unknownFlag: return [0, 0, 0, 3, 0, 24, 0x80]
      case .tooManyRecords: return try batchOfTooMany()
      case .badCompression:
        return try Frame(type: 24, flags: .compressed, payload: [UInt8](repeating: 0x28, count: 400)).encoded()
      case .trailingBytes: return try Frame(type: 24, payload: good + [0]).encoded()
      case .wrongOrder: return try Frame(type: 24, payload: Array(good.reversed())).encoded()
      case .importersWord: return try frame(.resume(Resume(incarnation: nil, cursors: [:])))
      case .secondHello: return try frame(.hello(Hello(role: .export, nonce: [UInt8](repeating: 1, count: 16))))
      case .lostDigest:
        let end = LogEnd(cursor: 1, count: 7, digest: RecordID(high: 6, low: 6))
        return try frame(HostilePeer.batch()) + frame(.end([.bookmarks: end]))
      }
    }

    private func frame(_ message: Message) throws -> [UInt8] { try MessageEncoder().encode(message) }

    /// A batch of one record more than a batch may hold.
    private func batchOfTooMany() throws -> [UInt8] {
      var fields = TLVWriter()
      fields.natural(2, 1)
      fields.varint(4, 1)
      fields.natural(6, 0)
      fields.natural(8, 1 << 40)
      var entries = ByteWriter()
      for sequence in 0...Limits.batchRecords {
        var entry = TLVWriter()
        entry.natural(2, 1)
        entry.bytes(6, RecordID(high: 1, low: UInt64(sequence)).bytes)
        entries.counted(entry.finish())
      }
      fields.bytes(10, entries.bytes)
      return try Frame(type: 24, payload: fields.finish()).encoded()
    }
  }

  @Test(arguments: Misdeed.allCases)
  func `a hostile exporter is told why and leaves nothing behind`(_ misdeed: Misdeed) throws {
    let homes = try TwoHomes()
    let importer = RunningSession.import(homes.new, person: Agreeable(), .onLoopback)
    let peer = try HostilePeer(importer, isExporter: true)
    try #require(try peer.openAsExporter() != nil)
    peer.say(try misdeed.bytes())
    #expect(try peer.error() == misdeed.answer)
    peer.vanish()
    if misdeed.answer.isRetryable {
      // It may be a misunderstanding: the session waits for the exporter to come back.
      let isWaiting = importer.person.wait { if case .interrupted = $0 { true } else { nil } }
      #expect(isWaiting == true)
      importer.stop.stop()
      #expect(throws: TransferError(.stopped, "")) { try importer.outcome() }
    } else {
      #expect(throws: TransferError(.failed, "")) { try importer.outcome() }
    }
    let store = try RecordStore.open(home: homes.new)
    #expect(try store.check().isEmpty)
    #expect(try store.counts()[.passwords] == 0)
    let kept = misdeed == .goingBack || misdeed == .lostDigest ? 1 : 0
    #expect(try store.counts()[.bookmarks] == kept)
  }

  @Test func `secrets that were not chosen do not come in by another name`() throws {
    let homes = try TwoHomes()
    let importer = RunningSession.import(homes.new, person: Agreeable(wanted: .bookmarks), .onLoopback)
    let peer = try HostilePeer(importer, isExporter: true)
    // Granted more than was chosen.
    try peer.openAsExporter(granting: [.bookmarks, .passwords], offering: [.bookmarks, .passwords])
    peer.say(HostilePeer.batch(.passwords))
    peer.vanish()
    #expect(throws: TransferError(.failed, "")) { try importer.outcome() }
    #expect(try RecordStore.open(home: homes.new).counts()[.passwords] == 0)
  }

  @Test func `half a frame is no batch`() throws {
    let homes = try TwoHomes()
    let importer = RunningSession.import(homes.new, person: Agreeable(), .onLoopback)
    let peer = try HostilePeer(importer, isExporter: true)
    try peer.openAsExporter()
    let whole = try MessageEncoder().encode(HostilePeer.batch())
    peer.say(Array(whole.dropLast(3)))
    peer.vanish()
    #expect(importer.person.wait { if case .interrupted = $0 { true } else { nil } } == true)
    importer.stop.stop()
    #expect(throws: TransferError(.stopped, "")) { try importer.outcome() }
    #expect(try RecordStore.open(home: homes.new).counts()[.bookmarks] == 0)
  }

  @Test func `records that cannot be read are skipped and said, and the transfer is done`() throws {
    let homes = try TwoHomes()
    let importer = RunningSession.import(homes.new, person: Agreeable(), .onLoopback)
    let peer = try HostilePeer(importer, isExporter: true)
    try peer.openAsExporter()
    // The second one's address is no UTF-8: a peer of another make may think differently of it.
    guard case .batch(let batch) = HostilePeer.batch(last: 2) else { return }
    var payload = try MessageCodec.encode(.batch(batch))
    let address = Array("https://hostile.test/2".utf8)
    let place = try #require(payload.indices.first { payload[$0...].starts(with: address) })
    payload[place + 9] = 0xff
    peer.say(try Frame(type: 24, payload: payload).encoded())
    peer.say(.end([.bookmarks: LogEnd(cursor: 2, count: 2, digest: RecordID(high: 5, low: 5))]))
    guard case .done(let summary) = try peer.hear(30) else {
      Issue.record("not done")
      return
    }
    peer.say(.done(summary))
    let outcome = try importer.outcome()
    #expect(outcome.report[.bookmarks].added == 1)
    #expect(outcome.report[.bookmarks].skipped == 1)
    #expect(outcome.report.isPartial)
    #expect(summary.figures[.bookmarks]?.skipped == 1)
    #expect(try RecordStore.open(home: homes.new).counts()[.bookmarks] == 1)
  }

  /// What a hostile importer does, and the word that it hears.
  enum Demand: String, CaseIterable {
    case notOffered, cursorBeyond, acknowledgedUnsent, doneTooEarly, exportersWord, rubbish, unknownCritical

    var answer: ErrorCode {
      switch self {
      case .notOffered: .typeNotGranted
      case .acknowledgedUnsent, .doneTooEarly, .exportersWord: .unexpected
      case .cursorBeyond: .cursor
      case .rubbish: .frameSize
      case .unknownCritical: .unknownCritical
      }
    }
  }

  @Test(arguments: Demand.allCases)
  func `a hostile importer gets no more than was granted`(_ demand: Demand) throws {
    let homes = try TwoHomes()
    try homes.fill(someVisits(2_000, seed: 9))
    let exporter = RunningSession.export(homes.old, person: Agreeable(), .onLoopback, types: [.history, .bookmarks])
    let peer = try HostilePeer(exporter, isExporter: false)
    try peer.hear(16)
    if demand == .notOffered {
      peer.say(.choose(Choice(types: .passwords, wantsSecrets: true)))
    } else {
      peer.say(.choose(Choice(types: .history, wantsSecrets: false)))
      try peer.hear(20)
      switch demand {
      case .notOffered: break
      case .cursorBeyond: peer.say(.resume(Resume(incarnation: HostilePeer.incarnation, cursors: [.visits: 1 << 40])))
      case .acknowledgedUnsent:
        peer.say(.resume(Resume(incarnation: nil, cursors: [.pages: 0, .visits: 0])))
        peer.say(.acknowledge(Acknowledgement(log: .cards, last: 1 << 50, applied: 1, skipped: 0)))
      case .doneTooEarly: peer.say(.done(Summary(figures: [:], ends: [:])))
      case .exportersWord: peer.say(HostilePeer.batch())
      case .rubbish: peer.say([UInt8](repeating: 0xee, count: 100))
      case .unknownCritical: peer.say(try Frame(type: 5_000, payload: [1, 2, 3]).encoded())
      }
    }
    let heard = try peer.error()
    peer.vanish()
    #expect(heard == demand.answer)
    if demand.answer.isRetryable { exporter.stop.stop() }
    #expect(throws: TransferError(demand.answer.isRetryable ? .stopped : .failed, "")) { try exporter.outcome() }
    #expect(try RecordStore.open(home: homes.old).check().isEmpty)
    #expect(try TwoHomes.visits(homes.old).count == 2_000)
  }
}
