import BrowsingData

@testable import Wire

extension WireSamples {
  /// One of every message, with every field.
  mutating func messages() -> [Message] {
    var hello = Hello(role: .import, nonce: bytes(16), token: bytes(16))
    hello.features = 0xaa
    var report = ErrorReport(.diskFull)
    report.text = "the disk is full"
    report.needed = 1 + number()
    report.log = .visits
    report.incarnation = bytes(16)
    var offer = Offer(
      incarnation: bytes(16), supported: .all,
      items: [
        .init(type: .bookmarks, count: number(), bytes: number(), newest: time()),
        .init(type: .history, count: number(), bytes: number(), newest: time()),
      ])
    offer.profiles = ["work", "日本"]
    var choice = Choice(types: .all, wantsSecrets: true)
    choice.profiles = [NamedValue(name: "work", value: "default")]
    var figures = ApplyReport.Figures()
    figures.found = Int(number())
    figures.conflicts = 3
    let ends: [ChangeLog: LogEnd] = [
      .bookmarks: LogEnd(cursor: number(), count: number(), digest: id()),
      .visits: LogEnd(cursor: number(), count: number(), digest: id()),
    ]
    return [
      .ping(bytes(8)), .hello(hello), .pong(bytes(8)),
      .pairShare(PairShare(share: bytes(32), associatedData: bytes(80), means: .qrCode)), .pairConfirm(bytes(64)),
      .info(Info(name: "Dora's laptop", software: "wherry 1.0", clock: 1_700_000_000_000, port: 40_123)),
      .paired(Paired(mode: .persistent, token: bytes(16))), .error(report), .close(.revoked), .close(nil),
      .offer(offer), .choose(choice),
      .accept(Grant(types: .withoutSecrets, grantsSecrets: true, incarnation: bytes(16))),
      .resume(Resume(incarnation: bytes(16), cursors: [.bookmarks: number(), .pages: number()])),
      .batch(Batch(number: 1 + number(), changes: batch(.bookmarks, rows: 2))),
      .acknowledge(Acknowledgement(log: .pages, last: number(), applied: number(), skipped: 2)), .end(ends),
      .done(Summary(figures: [.bookmarks: figures, .history: figures], ends: ends)), .cancel(.safetyStop),
      .syncOpen(syncOpening()), .syncBatch(SyncRows(number: 1 + number(), batch: syncBatch(.bookmarks, rows: 2))),
      .caughtUp(SyncEnd(sequence: number(), heard: number(), digests: [.bookmarks: id(), .history: id()])), .unpair,
    ]
  }
}

/// A map of fields taken apart, to be spoilt.
struct RawFields {
  var fields: [(number: UInt64, value: [UInt8])] = []

  init(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      let number = try reader.varint()
      var value = try reader.countedPart()
      fields.append((number, Array(value.rest())))
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    for field in fields {
      writer.varint(field.number)
      writer.counted(field.value)
    }
    return writer.bytes
  }

  func changed(_ change: (inout RawFields) -> Void) -> [UInt8] {
    var copy = self
    change(&copy)
    return copy.bytes
  }
}
