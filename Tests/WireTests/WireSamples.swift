import BrowsingData
import TestSupport

@testable import Wire

/// Random values, the same at each run.
struct WireSamples {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func chance() -> Bool { Bool.random(using: &random) }
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
  mutating func text() -> String {
    let words = ["", "a", "news", "Überblick", "日本語", "🚀", "x\u{0}y", "https://example.org/?q=1#f"]
    return (0..<Int.random(in: 0...3, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined()
  }
  mutating func time() -> Timestamp {
    Timestamp(microseconds: Int64.random(in: 0..<7_258_118_400_000_000, using: &random))
  }
  mutating func number(_ limit: Int64 = .max) -> Int64 {
    Int64.random(in: 0...limit, using: &random) >> Int64.random(in: 0...62, using: &random)
  }
  mutating func id() -> RecordID {
    RecordID(high: UInt64.random(in: 1...UInt64.max, using: &random), low: random.next())
  }
  mutating func maybe<T>(_ value: (inout WireSamples) -> T, always: Bool) -> T? {
    always || chance() ? value(&self) : nil
  }
  mutating func list<T>(_ range: ClosedRange<Int>, _ value: (inout WireSamples) -> T) -> [T] {
    (0..<Int.random(in: range, using: &random)).map { _ in value(&self) }
  }
  mutating func unknown() -> UnknownFields {
    var numbers: Set<UInt64> = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      numbers.insert([1, 3, 5, 37, 59, 65, 999, UInt64.max].randomElement(using: &random) ?? 65)
    }
    // Visits' attributes know 3 and 5 themselves.
    return UnknownFields(
      numbers.filter { $0 != 3 && $0 != 5 }.sorted().map { .init(number: $0, value: bytes(3)) })
  }
  mutating func application() -> Application { Application(id: text(), name: text()) }

  /// A record of this kind, with every field when `full`.
  mutating func record(_ type: DataType, full: Bool = false) -> Record {
    switch type {
    case .bookmarks: .bookmark(bookmark(full))
    case .readingList: .readingListItem(readingListItem(full))
    case .extensions: .browserExtension(browserExtension(full))
    case .passwords: .login(login(full))
    case .cards, .history, .resources: .paymentCard(card(full))
    }
  }

  private mutating func bookmark(_ full: Bool) -> Bookmark {
    var record = Bookmark(
      id: id(), kind: full ? .bookmark : Bookmark.Kind.allCases.randomElement(using: &random) ?? .folder,
      parent: chance() ? .toolbar : id(), position: Int(number(Int64.max)), title: text())
    record.url = maybe({ $0.text() }, always: full)
    record.dateAdded = maybe({ $0.time() }, always: full)
    record.dateModified = maybe({ $0.time() }, always: full)
    record.tags = list(full ? 1...3 : 0...3) { $0.text() }
    record.keyword = maybe({ $0.text() }, always: full)
    record.postData = maybe({ $0.text() }, always: full)
    record.description = maybe({ $0.text() }, always: full)
    record.charset = maybe({ $0.text() }, always: full)
    record.icon = maybe({ $0.text() }, always: full)
    record.iconURI = maybe({ $0.text() }, always: full)
    record.lastVisitedAt = maybe({ $0.time() }, always: full)
    record.guid = maybe({ $0.text() }, always: full)
    record.attributes = list(full ? 1...2 : 0...2) { NamedValue(name: $0.text(), value: $0.text()) }
    record.profile = maybe({ $0.text() }, always: full)
    record.application = maybe({ $0.application() }, always: full)
    record.unknown = unknown()
    return record
  }

  private mutating func readingListItem(_ full: Bool) -> ReadingListItem {
    var record = ReadingListItem(id: id(), title: text(), url: text())
    record.dateAdded = maybe({ $0.time() }, always: full)
    record.lastVisitedAt = maybe({ $0.time() }, always: full)
    record.read = maybe({ $0.chance() }, always: full)
    record.preview = maybe({ $0.text() }, always: full)
    record.profile = maybe({ $0.text() }, always: full)
    record.application = maybe({ $0.application() }, always: full)
    record.unknown = unknown()
    return record
  }

  private mutating func browserExtension(_ full: Bool) -> BrowserExtension {
    var record = BrowserExtension(id: id(), name: text(), identifier: text())
    record.developer = maybe({ $0.text() }, always: full)
    record.storeIdentifier = maybe({ $0.text() }, always: full)
    record.store = maybe({ $0.text() }, always: full)
    record.version = maybe({ $0.text() }, always: full)
    record.enabled = maybe({ $0.chance() }, always: full)
    record.homepage = maybe({ $0.text() }, always: full)
    record.iosExtensionBundleIdentifier = maybe({ $0.text() }, always: full)
    record.iosAppBundleIdentifier = maybe({ $0.text() }, always: full)
    record.macosExtensionBundleIdentifier = maybe({ $0.text() }, always: full)
    record.macosAppBundleIdentifier = maybe({ $0.text() }, always: full)
    record.profile = maybe({ $0.text() }, always: full)
    record.application = maybe({ $0.application() }, always: full)
    record.unknown = unknown()
    return record
  }

  private mutating func login(_ full: Bool) -> Login {
    var record = Login(id: id(), url: text(), username: text(), password: text())
    record.title = maybe({ $0.text() }, always: full)
    record.notes = maybe({ $0.text() }, always: full)
    record.otpauth = maybe({ $0.text() }, always: full)
    record.urls = list(full ? 1...3 : 0...3) { $0.text() }
    record.httpRealm = maybe({ $0.text() }, always: full)
    record.formAction = maybe({ $0.text() }, always: full)
    record.dateCreated = maybe({ $0.time() }, always: full)
    record.dateLastUsed = maybe({ $0.time() }, always: full)
    record.datePasswordChanged = maybe({ $0.time() }, always: full)
    record.timesUsed = maybe({ Int($0.number(1000)) }, always: full)
    record.occurrence = full ? 1 : Int(number(3))
    record.guid = maybe({ $0.text() }, always: full)
    record.profile = maybe({ $0.text() }, always: full)
    record.application = maybe({ $0.application() }, always: full)
    record.unknown = unknown()
    return record
  }

  private mutating func card(_ full: Bool) -> PaymentCard {
    var record = PaymentCard(id: id(), number: "4111111111111111")
    record.name = maybe({ $0.text() }, always: full)
    record.holder = maybe({ $0.text() }, always: full)
    record.expirationMonth = maybe({ Int.random(in: 1...12, using: &$0.random) }, always: full)
    record.expirationYear = maybe({ Int.random(in: 1000...9999, using: &$0.random) }, always: full)
    record.lastUsedAt = maybe({ $0.time() }, always: full)
    record.profile = maybe({ $0.text() }, always: full)
    record.application = maybe({ $0.application() }, always: full)
    record.unknown = unknown()
    return record
  }
}
