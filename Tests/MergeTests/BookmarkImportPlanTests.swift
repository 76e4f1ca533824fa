import BrowsingData
import Merge
import Testing

@Suite struct BookmarkImportPlanTests {
  @Test func `an id meets before content does, wherever it stands`() {
    var plan = plan(["a": 1, "b": 2])
    let moved = incoming(1, "b", 0)
    plan.reserve([moved.id])
    #expect(take(moved, &plan) == .sameID(0))
    #expect(take(incoming(50, "b", 1), &plan) == .sameContent(1))
    #expect(take(incoming(51, "b", 2), &plan) == .added(2))
  }

  @Test func `a reserved item is not taken for its content`() {
    var plan = plan(["a": 1])
    plan.reserve([id(1)])
    #expect(take(incoming(50, "a", 0), &plan) == .added(1))
    #expect(take(incoming(1, "a", 1), &plan) == .sameID(0))
  }

  @Test func `equal ones are consumed in order and the rest is added with a number of its own`() {
    var plan = plan([(String, Int)](), equal: 3)
    let decisions = (0..<5).map { plan.take(incoming(100 + $0, "same", $0)) }
    #expect(decisions == [.sameContent(0), .sameContent(1), .sameContent(2), .added(3), .added(4)])
    #expect(plan.locals.map(\.occurrence) == [0, 1, 2, 3, 4])
  }

  @Test func `an id of another kind, or taken already, is said`() {
    var plan = plan(["a": 1])
    var folder = incoming(1, "a", 0)
    folder.kind = .folder
    folder.content = content("folder a")
    #expect(take(folder, &plan) == .idTaken)
    folder.localID = id(90)
    #expect(take(folder, &plan) == .added(1))
    #expect(take(incoming(1, "a", 1), &plan) == .repeated)
    #expect(plan.locals[1].id == id(90))
  }

  @Test func `a child of what has not come waits, and then finds its folder`() {
    var plan = plan(["a": 1])
    let child = IncomingBookmark(
      id: id(60), parent: id(61), position: 0, kind: .bookmark, content: content("x"))
    #expect(take(child, &plan) == .waits)
    var folder = incoming(61, "F", 0)
    folder.kind = .folder
    #expect(take(folder, &plan) == .added(1))
    #expect(take(child, &plan) == .added(2))
    #expect(plan.locals[2].slot == 4 + 1)
  }

  @Test func `what comes from the source stands in its order, among what was there`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<300 {
      let names = (0..<(2 + random.below(9))).map { "n\($0)" }
      let there = names.filter { _ in random.below(2) == 0 } + ["mine1", "mine2"]
      var start: [(String, Int)] = there.enumerated().map { ($1, 500 + $0) }
      let sameIDs = random.below(2) == 0
      if sameIDs { start.shuffle(using: &random) }
      var plan = plan(start)
      let before = order(plan)
      var wanted = Array(names.enumerated())
      wanted.shuffle(using: &random)
      for (position, name) in wanted {
        let known = start.first { $0.0 == name }?.1
        let one = incoming(sameIDs ? known ?? 900 + position : 900 + position, name, position)
        switch plan.take(one) {
        case .added, .sameContent, .sameID: break
        case .known, .waits, .held, .idTaken, .repeated: Issue.record("unexpected decision")
        }
        if random.below(3) == 0 { _ = plan.arrange() }
      }
      _ = plan.arrange()
      let after = order(plan)
      #expect(after.filter { $0.hasPrefix("n") } == names)
      #expect(Set(after) == Set(names + ["mine1", "mine2"]))
      if !sameIDs { #expect(after.filter { there.contains($0) } == before) }
      let again = plan.arrange()
      #expect(again.isEmpty)
    }
  }

  @Test func `a move that would put a folder into itself is refused`() {
    var plan = BookmarkImportPlan(
      BookmarkView([node(1, .menu, "A", 0, .folder), node(2, id(1), "B", 0, .folder)]), tag: 1, repeatsAreResent: true)
    let outer = IncomingBookmark(id: id(1), parent: .menu, position: 0, kind: .folder, content: content("A"))
    let inner = IncomingBookmark(id: id(2), parent: id(1), position: 0, kind: .folder, content: content("B"))
    #expect(take(outer, &plan) == .sameID(0))
    #expect(take(inner, &plan) == .sameID(1))
    var moved = outer
    moved.parent = id(2)
    #expect(take(moved, &plan) == .known(0))
    let hasMoved = plan.move(0, toParentOf: moved)
    #expect(!hasMoved)
    #expect(plan.locals[0].slot == 1)
  }

  // MARK: -

  private func take(_ one: IncomingBookmark, _ plan: inout BookmarkImportPlan) -> BookmarkDecision { plan.take(one) }

  private func id(_ number: Int) -> RecordID { RecordID(high: 8, low: UInt64(number)) }

  private func content(_ name: String) -> ContentKey {
    ContentKey(high: 1, low: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
  }

  private func node(
    _ number: Int, _ parent: RecordID, _ name: String, _ rank: Int, _ kind: Bookmark.Kind = .bookmark,
    occurrence: Int = 0
  ) -> BookmarkNode {
    BookmarkNode(
      id: id(number), parent: parent, kind: kind, content: content(name), occurrence: occurrence,
      order: OrderKeys.fresh(rank + 1, tag: 5)[rank], placed: Stamp(time: 0, dot: Dot(replica: id(0), counter: 1)))
  }

  private func plan(_ start: KeyValuePairs<String, Int>) -> BookmarkImportPlan {
    plan(start.map { ($0.key, $0.value) })
  }

  private func plan(_ start: [(String, Int)], equal: Int = 0) -> BookmarkImportPlan {
    var nodes = start.enumerated().map { node($1.1, .menu, $1.0, $0) }
    nodes += (0..<equal).map { node(700 + $0, .menu, "same", 50 + $0, occurrence: $0) }
    return BookmarkImportPlan(BookmarkView(nodes), tag: 9, repeatsAreResent: false)
  }

  private func incoming(_ number: Int, _ name: String, _ position: Int) -> IncomingBookmark {
    IncomingBookmark(id: id(number), parent: .menu, position: position, kind: .bookmark, content: content(name))
  }

  private func order(_ plan: BookmarkImportPlan) -> [String] {
    let known = (0..<12).map { "n\($0)" } + ["mine1", "mine2"]
    return plan.locals.sorted { $0.order < $1.order }.compactMap { local in
      known.first { content($0) == local.content }
    }
  }
}
