import BrowsingData
import Testing

@testable import Binding

@Suite struct ListDeliveryTests {
  private static func login(_ number: UInt64, _ password: String, user: String = "mei", occurrence: Int = 0) -> Login {
    var login = Login(
      id: RecordID(high: 1, low: number), url: "https://a.example", username: user, password: password)
    login.occurrence = occurrence
    return login
  }

  @Test func `a login with another password is a conflict and the profile's stays`() {
    var delivery = LoginDelivery([Held("{1}", Self.login(1, "there"))])
    #expect(delivery.take(Self.login(9, "coming")) { "{new\($0)}" } == .conflict)
    #expect(delivery.edits.isEmpty)
  }

  @Test func `an equal login is met and another user's is added`() {
    var delivery = LoginDelivery([Held("{1}", Self.login(1, "there"))])
    #expect(delivery.take(Self.login(9, "there")) { "{new\($0)}" } == .unchanged)
    #expect(delivery.take(Self.login(10, "there", user: "jo")) { "{new\($0)}" } == .added)
    #expect(delivery.edits.insertions.map(\.foreignID) == ["{new0}"])
  }

  @Test func `logins that the profile will have are met by later ones, and ids are never given twice`() {
    var delivery = LoginDelivery([])
    #expect(delivery.take(Self.login(1, "one")) { "{new\($0)}" } == .added)
    #expect(delivery.take(Self.login(1, "one")) { "{new\($0)}" } == .unchanged)
    #expect(delivery.take(Self.login(2, "one", user: "jo")) { "{new\($0)}" } == .added)
    #expect(delivery.edits.insertions.map(\.foreignID) == ["{new0}", "{new1}"])
  }

  @Test func `a card is met by its number and gets what it lacks`() {
    var there = PaymentCard(id: RecordID(high: 1, low: 1), number: "4111111111111111")
    there.holder = "Mei Chen"
    var coming = PaymentCard(id: RecordID(high: 1, low: 2), number: "4111111111111111")
    coming.holder = "M. Chen"
    coming.expirationMonth = 4
    coming.expirationYear = 2031
    var delivery = ItemDelivery(cards: [Held("a", there)])
    #expect(delivery.take(coming) { "n\($0)" } == .changed)
    #expect(delivery.edits.updates.map(\.item.holder) == ["Mei Chen"])
    #expect(delivery.edits.updates.map(\.item.expirationYear) == [2031])
    var again = ItemDelivery(cards: delivery.edits.updates)
    #expect(again.take(coming) { "n\($0)" } == .unchanged)
  }

  @Test func `a folder that cannot be held gives its children to the one above`() {
    var tree = IncomingTree()
    let outer = Bookmark(id: RecordID(high: 2, low: 1), kind: .folder, parent: .toolbar, position: 0, title: "outer")
    let lost = Bookmark(id: RecordID(high: 2, low: 2), kind: .folder, parent: outer.id, position: 0, title: "lost")
    let page = Bookmark(
      id: RecordID(high: 2, low: 3), kind: .bookmark, parent: lost.id, position: 0, title: "page",
      url: "https://a.example/")
    tree.add(outer)
    #expect(tree.depth(below: .toolbar) == 1)
    #expect(tree.depth(below: outer.id) == 2)
    tree.leaveOut(lost)
    #expect(tree.depth(below: lost.id) == 2)
    tree.add(page)
    #expect(tree.bookmarks.last?.parent == outer.id)
  }

  @Test func `flat visits become pages and visits that name them`() throws {
    let link = HistoryVisit.Link(url: "https://a.example/", visitedAt: Timestamp(microseconds: 5))
    let visits = [
      HistoryVisit(url: "https://a.example/", title: "A", visitedAt: Timestamp(microseconds: 5), transition: .typed),
      HistoryVisit(
        url: "https://b.example/", visitedAt: Timestamp(microseconds: 9), visitCount: 3, redirectSource: link,
        profile: "Work"),
    ]
    var flat = FlatHistory()
    let (pages, batch) = flat.split(visits)
    #expect(pages.pages.map { pages.string($0.url) } == ["https://a.example/", "https://b.example/"])
    #expect(batch.visits.map(\.linkDelta) == [0, 4])
    #expect(batch.visits[1].flags.contains(.linkIsRedirect))
    #expect(batch.attributes.map(\.visitCount) == [3])
    #expect(batch.profiles == ["", "Work"])
    let (none, more) = flat.split([visits[0]])
    #expect(none.pages.isEmpty)
    #expect(more.visits.first?.page == 1)
  }
}
