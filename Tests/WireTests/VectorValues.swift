import BrowsingData

@testable import Wire

/// What the vectors mean, by the names they have in Vectors/.
enum VectorValues {
  static let id = (0..<16).map { UInt8($0) }
  static let store = RecordID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
  static let digest = RecordID(high: 0x1011_1213_1415_1617, low: 0x1819_1a1b_1c1d_1e1f)
  static let time = Timestamp(microseconds: 1_700_000_000_123_456)

  static let messages: [(name: String, message: Message)] = [
    ("PING", .ping([1, 2, 3, 4, 5, 6, 7, 8])),
    ("PONG", .pong([1, 2, 3, 4, 5, 6, 7, 8])),
    ("HELLO of a stranger", .hello(Hello(role: .export, nonce: id))),
    ("HELLO of a peer that comes back", .hello(hello)),
    (
      "PAIR_SHARE",
      .pairShare(
        PairShare(share: [UInt8](repeating: 0xab, count: 32), associatedData: [0x43, 0x01, 0x02], means: .digits))
    ),
    ("PAIR_CONFIRM", .pairConfirm([UInt8](repeating: 0xcd, count: 64))),
    ("INFO", .info(Info(name: "Dora’s laptop", software: "wherry 1.0", clock: 1_700_000_000_123))),
    ("INFO of one that listens", .info(Info(name: "desk", software: "wherry 1.0", clock: 1, port: 40_123))),
    ("PAIRED from the connector", .paired(Paired(mode: .session))),
    ("PAIRED from the listener", .paired(Paired(mode: .persistent, token: id))),
    ("ERROR that ends all", .error(ErrorReport(.authentication))),
    ("ERROR with everything", .error(report)),
    ("CLOSE when done", .close(nil)),
    ("CLOSE with a reason", .close(.busy)),
    ("OFFER", .offer(offer)),
    ("CHOOSE", .choose(choice)),
    ("CHOOSE nothing", .choose(Choice(types: [], wantsSecrets: false))),
    ("ACCEPT", .accept(Grant(types: [.bookmarks, .history], grantsSecrets: false, incarnation: id))),
    ("RESUME from the start", .resume(Resume(incarnation: nil, cursors: [:]))),
    ("RESUME after a cut", .resume(Resume(incarnation: id, cursors: [.bookmarks: 4711, .pages: 300, .visits: 0]))),
    ("ACK", .acknowledge(Acknowledgement(log: .pages, last: 70_000, applied: 9_999, skipped: 1))),
    ("END", .end(ends)),
    ("DONE", .done(summary)),
    ("CANCEL", .cancel(.person)),
    ("SYNC_OPEN of two that have never met", .syncOpen(syncOpen)),
    ("SYNC_OPEN with everything", .syncOpen(syncOpenAgain)),
    ("CAUGHT_UP", .caughtUp(SyncEnd(sequence: 4711, heard: 300, digests: [.bookmarks: digest]))),
    ("UNPAIR", .unpair),
  ]

  private static var hello: Hello {
    var hello = Hello(versions: ProtocolVersion(oldest: 1, newest: 300), role: .import, nonce: id, token: id)
    hello.features = 2
    return hello
  }

  private static var report: ErrorReport {
    var report = ErrorReport(.diskFull)
    report.text = "disk full"
    report.needed = 1_048_576
    report.log = .visits
    report.incarnation = id
    return report
  }

  private static var offer: Offer {
    var offer = Offer(
      incarnation: id, supported: [.bookmarks, .passwords, .history],
      items: [
        .init(type: .bookmarks, count: 120, bytes: 24_000, newest: time),
        .init(type: .history, count: 1_000_000, bytes: 26_000_000),
      ])
    offer.profiles = ["work"]
    return offer
  }

  private static var choice: Choice {
    var choice = Choice(types: [.bookmarks, .passwords, .history], wantsSecrets: true)
    choice.profiles = [NamedValue(name: "work", value: "default")]
    return choice
  }

  private static let ends: [ChangeLog: LogEnd] = [
    .bookmarks: LogEnd(cursor: 4711, count: 120, digest: digest),
    .visits: LogEnd(cursor: 1_300_000, count: 1_000_000, digest: digest),
  ]

  private static var summary: Summary {
    var figures = ApplyReport.Figures()
    figures.found = 120
    figures.added = 100
    figures.changed = 5
    figures.unchanged = 14
    figures.skipped = 1
    figures.conflicts = 2
    return Summary(figures: [.bookmarks: figures], ends: ends)
  }

  private static var syncOpen: SyncOpening {
    var open = SyncOpening(
      incarnation: store, counter: 9, sequence: 12, sends: .bookmarks, takes: [.bookmarks, .history])
    open.knows = [SyncDot(incarnation: store, counter: 9), SyncDot(incarnation: digest, counter: 8)]
    return open
  }

  private static var syncOpenAgain: SyncOpening {
    var open = syncOpen
    open.cursorsAbout = digest
    open.cursors = [.bookmarks: 3, .pages: 300]
    open.whole = [.bookmarks]
    open.unsent = [.visits, .pages, .forgetRules]
    return open
  }

  /// One batch for each kind of record, with every field.
  static let batches: [(name: String, message: Message)] = [
    (
      "BATCH of bookmarks",
      batch(
        .bookmarks,
        .records([
          ChangedRecord(sequence: 8, was: 3, change: .present(.bookmark(bookmark))),
          ChangedRecord(sequence: 11, change: .deleted(digest)),
        ]))
    ),
    ("BATCH of a folder", batch(.bookmarks, .records([present(.bookmark(folder))]))),
    ("BATCH of the reading list", batch(.readingList, .records([present(.readingListItem(readingListItem))]))),
    ("BATCH of extensions", batch(.extensions, .records([present(.browserExtension(browserExtension))]))),
    ("BATCH of logins", batch(.passwords, .records([present(.login(login))]))),
    ("BATCH of cards", batch(.cards, .records([present(.paymentCard(card))]))),
    ("BATCH of pages", batch(.pages, .pages(pages))),
    ("BATCH of plain visits", batch(.visits, .visits(plainVisits))),
    ("BATCH of visits with every column", batch(.visits, .visits(visits))),
    ("BATCH that only moves the cursor", batch(.visits, .visits(VisitBatch()))),
  ]

  private static func batch(_ log: ChangeLog, _ content: ChangeBatch.Content) -> Message {
    .batch(Batch(number: 1, changes: ChangeBatch(log: log, first: 7, last: 11, content: content)))
  }

  private static func present(_ record: Record) -> ChangedRecord {
    ChangedRecord(sequence: 11, change: .present(record))
  }
}
