import BrowsingData
import Merge
import Testing

@Suite struct FieldMergeTests {
  @Test func `an update takes what is there and erases nothing, a fill takes gaps, exact takes all`() {
    var known = Bookmark(id: id(1), kind: .bookmark, parent: .menu, position: 0, title: "old", url: "u")
    known.keyword = "k"
    known.tags = ["a"]
    var incoming = Bookmark(id: id(2), kind: .bookmark, parent: .menu, position: 0, title: "new")
    incoming.tags = ["b", "a"]
    incoming.description = "d"
    let update = BookmarkMerge.merged(incoming, over: known, .update, sameID: true)
    #expect(update.title == "new")
    #expect(update.url == "u")
    #expect(update.keyword == "k")
    #expect(update.tags == ["b", "a"])
    #expect(update.id == known.id)
    let fill = BookmarkMerge.merged(incoming, over: known, .fill, sameID: true)
    #expect(fill.title == "old")
    #expect(fill.description == "d")
    #expect(fill.tags == ["a", "b"])
    let exact = BookmarkMerge.merged(incoming, over: known, .exact, sameID: true)
    #expect(exact.keyword == nil)
    #expect(exact.url == nil)
    #expect(exact.tags == ["b", "a"])
  }

  @Test func `of two records with one id the one changed later is heard`() {
    var known = Bookmark(id: id(1), kind: .bookmark, parent: .menu, position: 0, title: "old")
    var incoming = known
    #expect(BookmarkMerge.rule(incoming, over: known) == .update)
    known.dateModified = Timestamp(microseconds: 5)
    #expect(BookmarkMerge.rule(incoming, over: known) == .update)
    incoming.dateModified = Timestamp(microseconds: 4)
    #expect(BookmarkMerge.rule(incoming, over: known) == .fill)
    incoming.dateModified = Timestamp(microseconds: 5)
    #expect(BookmarkMerge.rule(incoming, over: known) == .update)
  }

  @Test func `unknown fields and attributes of both sides stay`() {
    var known = Bookmark(id: id(1), kind: .bookmark, parent: .menu, position: 0, title: "t")
    known.unknown = UnknownFields([.init(number: 101, value: [1]), .init(number: 103, value: [2])])
    known.attributes = [NamedValue(name: "A", value: "1")]
    var incoming = known
    incoming.unknown = UnknownFields([.init(number: 103, value: [3]), .init(number: 105, value: [4])])
    incoming.attributes = [NamedValue(name: "B", value: "2"), NamedValue(name: "A", value: "9")]
    let result = BookmarkMerge.merged(incoming, over: known, .update, sameID: false)
    #expect(result.unknown.fields.map(\.value) == [[1], [3], [4]])
    #expect(result.attributes.map(\.value) == ["9", "2"])
  }

  @Test(arguments: FieldMergeTests.passwordDates)
  func `of two passwords the newer is shown and the other given back`(mine: Int64?, theirs: Int64?, isNew: Bool) {
    let (shown, loser) = isNew ? ("new", "old") : ("old", "new")
    var known = Login(id: id(1), url: "https://a.test/", username: "u", password: "old")
    known.datePasswordChanged = mine.map { Timestamp(microseconds: $0) }
    var incoming = Login(id: id(2), url: "https://a.test/", username: "u", password: "new")
    incoming.datePasswordChanged = theirs.map { Timestamp(microseconds: $0) }
    let result = LoginMerge.merged(incoming, over: known, .update)
    #expect(result.login.password == shown)
    #expect(result.losers.map(\.value) == [loser])
    #expect(!"\(result.losers)".contains(loser))
  }

  @Test func `merging the result again finds nothing new`() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<300 {
      let known = randomLogin(&random)
      let incoming = randomLogin(&random)
      let once = LoginMerge.merged(incoming, over: known, .update)
      let twice = LoginMerge.merged(incoming, over: once.login, .update)
      #expect(twice.login == once.login)
      let values = [known.password, incoming.password, known.notes, incoming.notes, known.otpauth, incoming.otpauth]
      let kept = [once.login.password, once.login.notes, once.login.otpauth] + once.losers.map(\.value)
      for value in values.compactMap({ $0 }) where !value.isEmpty { #expect(kept.contains(value)) }
    }
  }

  @Test func `a login is added, met or a conflict by what it agrees in`() throws {
    let first = login("p1", form: "f1")
    let second = login("p2", form: "f2")
    var stored = [id(1): first, id(2): second]
    var plan = LoginImportPlan()
    plan.addExisting(id(1), key: key, occurrence: 0)
    plan.addExisting(id(2), key: key, occurrence: 1)
    func take(_ number: Int, _ occurrence: Int, _ one: Login) -> LoginDecision {
      plan.take(id(number), key: key, occurrence: occurrence) { known in
        stored[known].map { LoginMerge.agreement(one, $0) }
      }
    }
    #expect(take(50, 0, second) == .matched(1))
    #expect(take(51, 1, first) == .matched(0))
    #expect(take(52, 2, login("p3", form: nil)) == .again(0))
    let third = login("p4", form: "f3")
    #expect(take(53, 2, third) == .added(2, occurrence: 2))
    stored[id(53)] = third
    #expect(take(53, 3, login("p5", form: "f4")) == .idTaken)
  }

  private static let passwordDates: [(Int64?, Int64?, Bool)] = [
    (5, 9, true), (9, 5, false), (5, 5, false), (nil, 9, false), (5, nil, false),
  ]
  private let key = ContentKey(high: 1, low: 1)
  private func id(_ number: Int) -> RecordID { RecordID(high: 2, low: UInt64(number)) }

  private func login(_ password: String, form: String?) -> Login {
    var login = Login(id: id(0), url: "https://a.test/", username: "u", password: password)
    login.formAction = form
    return login
  }

  private func randomLogin(_ random: inout SeededRandom) -> Login {
    var login = Login(
      id: id(1), url: "https://a.test/\(random.below(2))", username: "u", password: ["", "p", "q"][random.below(3)])
    login.notes = [nil, "", "n", "m"][random.below(4)]
    login.otpauth = [nil, "o", "x"][random.below(3)]
    login.title = [nil, "t", "s"][random.below(3)]
    login.datePasswordChanged = random.below(2) == 0 ? nil : Timestamp(microseconds: Int64(random.below(3)))
    login.dateLastUsed = random.below(2) == 0 ? nil : Timestamp(microseconds: Int64(random.below(3)))
    login.timesUsed = random.below(2) == 0 ? nil : random.below(5)
    return login
  }
}
