import BrowsingData
import TestSupport
import Testing

@testable import Formats

/// The ids were worked out with Python's hashlib from the words of the specification.
@Suite struct RecordIDTests {
  @Test(
    arguments: [
      (
        Bookmark.Kind.bookmark, RecordID.toolbar, "Ä title", "https://a.test/?q=1&b=2", 1_500_000_000_123_456, 0,
        "1263e2d98b23e2cb78ff3441575ca8b9"
      ),
      (.bookmark, .other, "", "http://b.test/", nil, 0, "acc460fbfb98698b848ec42cbd741d46"),
      (.bookmark, .other, "", "http://b.test/", nil, 7, "68038bf2bab946d8fea19852835a28e1"),
      (.folder, .menu, "folder", nil, 0, 0, "3b177bc6556f1ec1efdeed9a8b317533"),
      (
        .separator, RecordID(high: 0xFEDC_BA98_7654_3210, low: 0x0123_4567_89AB_CDEF), "", nil, 9, 1,
        "6e5b4ea2c804a9de4174a9dc1ef51f99"
      ),
      (.bookmark, .toolbar, "x", "y", -1, 0, "035df39efd2abf730628083deb01b630"),
      (.bookmark, .toolbar, "x", "y", 10, 0, "cce8d724ac259b7eebb61af1d448ede8"),
      (.bookmark, .toolbar, "x", "y", .max, 0, "cc130054c6828bd56f5b298ac2cc27d6"),
    ] as [(Bookmark.Kind, RecordID, String, String?, Int64?, Int, String)])
  func `a bookmark's id comes from what it is and where`(
    kind: Bookmark.Kind, parent: RecordID, title: String, url: String?, added: Int64?, occurrence: Int, id: String
  ) {
    let identity = RecordIdentity.bookmark(
      kind: kind, parent: parent, title: title, url: url, dateAdded: added.map { Timestamp(microseconds: $0) },
      occurrence: occurrence)
    #expect("\(RecordID(hashing: identity))" == id)
  }

  @Test func `other records' ids come from their identities`() {
    let time = Timestamp(microseconds: 1_722_367_302_951_213)
    let found: [RecordIdentity] = [
      .bookmark(guid: "abcdefghijkl", namespace: "firefox"),
      .visit(url: "https://a.test/", visitedAt: time, occurrence: 2, profile: "Work"),
      .visit(url: "https://a.test/", visitedAt: time, occurrence: 0, profile: nil),
      .readingListItem(url: "https://a.test/", profile: nil),
      .browserExtension(identifier: "a.b (TEAM)", profile: "Work"),
      .login(origin: "https://a.test", httpRealm: nil, username: "user", occurrence: 0),
      .login(origin: "https://a.test:8443", httpRealm: "", username: "", occurrence: 3),
    ]
    #expect(
      found.map { "\(RecordID(hashing: $0))" } == [
        "bc86f2586473fc57756e020920d26cb1", "87305a76b23e7c2edb151ed58289c7a8", "26dc186a17e4b9b55544e8eaf7247bc2",
        "00ebb5ee783a3fd48077c52e45eceaa4", "c8a2a3366acee88e006930f69a3901e2", "87bbc6173039195d5a1d452c1ae0325e",
        "5f8ac4d1e2147b45c391aa2ab4639945",
      ])
  }

  @Test func `an id is given once, however many there are`() {
    var numbers = SeededGenerator(seed: 77)
    var given = RecordIDSet(expected: 0)
    var known: Set<RecordID> = []
    for round in 0..<5000 {
      let id =
        round == 100
        ? RecordID(high: 0, low: 0)
        : RecordID(high: UInt64.random(in: 0...3, using: &numbers), low: numbers.next() & 1023)
      let isNew = given.insert(id)
      let isExpected = known.insert(id).inserted
      #expect(isNew == isExpected)
    }
    let isNew = given.insert(RecordID(high: 0, low: 0))
    #expect(!isNew)
  }
}
