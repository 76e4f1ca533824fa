import BrowsingData

extension VectorValues {
  static var bookmark: Bookmark {
    var record = Bookmark(
      id: digest, kind: .bookmark, parent: .toolbar, position: 3, title: "日本", url: "https://example.org/?a=1",
      dateAdded: time, dateModified: Timestamp(microseconds: 0))
    record.tags = ["news", "é"]
    record.keyword = "k"
    record.postData = "q=%s"
    record.description = "d"
    record.charset = "UTF-8"
    record.icon = "data:,"
    record.iconURI = "https://example.org/i"
    record.lastVisitedAt = time
    record.guid = "AAAAAAAAAAAA"
    record.attributes = [NamedValue(name: "last_charset", value: "x")]
    record.profile = "work"
    record.application = Application(id: "org.mozilla.firefox", name: "Firefox")
    record.unknown = UnknownFields([
      .init(number: 1, value: [0xca, 0xfe]), .init(number: 37, value: []), .init(number: 201, value: [1]),
    ])
    return record
  }

  static let folder = Bookmark(id: digest, kind: .folder, parent: .other, position: 0, title: "Folder")

  static var readingListItem: ReadingListItem {
    var record = ReadingListItem(id: digest, title: "t", url: "https://example.org/", dateAdded: time)
    record.lastVisitedAt = time
    record.read = false
    record.preview = "p"
    record.profile = "work"
    record.application = Application(id: "a", name: "A")
    return record
  }

  static var browserExtension: BrowserExtension {
    var record = BrowserExtension(id: digest, name: "n", identifier: "bundle.id (TEAMID)")
    record.developer = "d"
    record.storeIdentifier = "1"
    record.store = "app-store"
    record.version = "2.0"
    record.enabled = true
    record.homepage = "https://example.org/"
    record.iosExtensionBundleIdentifier = "i.e"
    record.iosAppBundleIdentifier = "i.a"
    record.macosExtensionBundleIdentifier = "m.e"
    record.macosAppBundleIdentifier = "m.a"
    record.profile = "work"
    record.application = Application(id: "a", name: "A")
    return record
  }

  static var login: Login {
    var record = Login(id: digest, url: "https://example.org/login", username: "u", password: "p\u{0}ß")
    record.title = "t"
    record.notes = "n"
    record.otpauth = "otpauth://totp/x"
    record.urls = ["https://example.com/"]
    record.httpRealm = "r"
    record.formAction = ""
    record.dateCreated = time
    record.dateLastUsed = time
    record.datePasswordChanged = time
    record.timesUsed = 12
    record.occurrence = 1
    record.guid = "{g}"
    record.profile = "work"
    record.application = Application(id: "a", name: "A")
    return record
  }

  static var card: PaymentCard {
    var record = PaymentCard(id: digest, number: "4111111111111111")
    record.name = "n"
    record.holder = "h"
    record.expirationMonth = 12
    record.expirationYear = 2030
    record.lastUsedAt = time
    record.profile = "work"
    record.application = Application(id: "a", name: "A")
    return record
  }

  static var pages: PageBatch {
    var batch = PageBatch()
    batch.append(number: 5, url: "https://example.org/a".utf8, title: Array("é".utf8))
    batch.append(number: 3, url: "https://example.org/b".utf8, title: [UInt8]?.none)
    batch.append(number: 900, url: "https://example.org/c".utf8, title: [])
    for (row, sequence) in [9, 8, 11].enumerated() { batch.pages[row].sequence = Int64(sequence) }
    batch.pages[0].titleTime = time.microseconds
    batch.pages[2].was = 2
    return batch
  }

  static var plainVisits: VisitBatch {
    var batch = VisitBatch()
    for row in 0..<3 as Range<Int64> {
      var visit = VisitBatch.Visit(page: [5, 3, 5][Int(row)], time: time.microseconds + row * 1_000)
      visit.sequence = 8 + row
      batch.visits.append(visit)
    }
    return batch
  }

  static var visits: VisitBatch {
    var batch = plainVisits
    batch.profiles += ["work"]
    batch.visits[1].transition = HistoryVisit.Transition.redirectPermanent.rawValue
    batch.visits[1].flags = [.hidden, .linkIsRedirect]
    batch.visits[1].linkPage = 5
    batch.visits[1].linkDelta = 1_000
    batch.visits[2].linkPage = 900
    batch.visits[2].linkDelta = 60_000_000
    batch.visits[2].occurrence = 1
    batch.visits[2].profile = 1
    batch.visits[2].was = 4
    batch.visits[0].attributes = 0
    var attributes = VisitBatch.Attributes()
    attributes.visitCount = 17
    attributes.destination = HistoryVisit.Link(url: "https://d", visitedAt: time)
    attributes.referrer = HistoryVisit.Link(url: "https://r", visitedAt: time)
    attributes.unknown = UnknownFields([.init(number: 9, value: [7])])
    batch.attributes = [attributes]
    return batch
  }
}
