import BrowsingData
import TestSupport
import Testing

@testable import Binding

@Suite struct BookmarkDeliveryTests {
  private static func id(_ number: UInt64) -> RecordID { RecordID(high: 7, low: number + 100) }

  private static func bookmark(
    _ number: UInt64, _ title: String, in parent: RecordID = .toolbar, kind: Bookmark.Kind = .bookmark
  ) -> Bookmark {
    Bookmark(
      id: id(number), kind: kind, parent: parent, position: 0, title: kind == .separator ? "" : title,
      url: kind == .bookmark ? "https://\(title).example/" : nil)
  }

  /// As a profile would hold them, with other ids.
  private static func held(_ bookmarks: [Bookmark]) -> [Held<Bookmark>] {
    var ids: [RecordID: RecordID] = [:]
    for one in bookmarks { ids[one.id] = RecordID(high: 9, low: one.id.low) }
    return bookmarks.map { one in
      var item = one
      item.id = ids[one.id] ?? one.id
      item.parent = ids[one.parent] ?? one.parent
      return Held("held-\(one.id.low)", item)
    }
  }

  private static func delivery(over held: [Held<Bookmark>]) -> BookmarkDelivery {
    BookmarkDelivery(held) { id, guid, attempt in guid ?? "new-\(id.low)" + (attempt == 0 ? "" : "-\(attempt)") }
  }

  @Test func `into nothing everything is added in its order`() throws {
    let folder = Self.bookmark(1, "folder", kind: .folder)
    let list = [
      folder, Self.bookmark(2, "one", in: folder.id), Self.bookmark(3, "", in: folder.id, kind: .separator),
      Self.bookmark(4, "two", in: folder.id), Self.bookmark(5, "three"),
    ]
    var delivery = Self.delivery(over: [])
    #expect(delivery.decide(list).allSatisfy { $0.outcome == .added })
    let edits = delivery.edits()
    #expect(edits.insertions.map(\.held.foreignID) == ["new-101", "new-102", "new-103", "new-104", "new-105"])
    #expect(edits.order[.item("new-101")] == ["new-102", "new-103", "new-104"])
    #expect(edits.order[.root(.toolbar)] == ["new-101", "new-105"])
    #expect(edits.updates.isEmpty && edits.moves.isEmpty && edits.removals.isEmpty)
  }

  @Test func `what is there already by content stays and nothing is doubled`() {
    let folder = Self.bookmark(1, "folder", kind: .folder)
    let list = [
      folder, Self.bookmark(2, "one", in: folder.id), Self.bookmark(3, "", in: folder.id, kind: .separator),
      Self.bookmark(4, "one", in: folder.id),
    ]
    var delivery = Self.delivery(over: Self.held(list))
    #expect(delivery.decide(list).map(\.outcome) == [.unchanged, .unchanged, .unchanged, .unchanged])
    #expect(delivery.edits().isEmpty)
  }

  @Test func `equal siblings are met one for one`() {
    let there = [Self.bookmark(1, "same"), Self.bookmark(2, "same")]
    let coming = [Self.bookmark(11, "same"), Self.bookmark(12, "same"), Self.bookmark(13, "same")]
    var delivery = Self.delivery(over: Self.held(there))
    #expect(delivery.decide(coming).map(\.outcome) == [.unchanged, .unchanged, .added])
  }

  @Test func `new ones stand between the siblings they stood between`() {
    let there = [Self.bookmark(1, "a"), Self.bookmark(2, "c"), Self.bookmark(3, "own")]
    let coming = [Self.bookmark(11, "a"), Self.bookmark(12, "b"), Self.bookmark(13, "c"), Self.bookmark(14, "d")]
    var delivery = Self.delivery(over: Self.held(there))
    _ = delivery.decide(coming)
    #expect(
      delivery.edits().order[.root(.toolbar)] == ["held-101", "new-112", "held-102", "held-103", "new-114"]
        || delivery.edits().order[.root(.toolbar)] == ["held-101", "new-112", "held-102", "new-114", "held-103"])
  }

  @Test func `one that a delivery brought before is known by its id, wherever its owner has put it`() {
    let folder = Self.bookmark(1, "folder", kind: .folder)
    var moved = Self.bookmark(2, "renamed by its owner", in: .menu)
    moved.id = RecordID(high: 9, low: 2)
    let there = [Held("held-1", folder), Held("new-112", moved)]
    var delivery = Self.delivery(over: there)
    let decisions = delivery.decide([Self.bookmark(12, "as it came", in: .toolbar)])
    #expect(decisions == [.init(id: Self.id(12), foreignID: "new-112", outcome: .unchanged)])
    #expect(delivery.edits().isEmpty)
  }

  @Test func `tags and a keyword that are missing are filled in, others stay`() throws {
    var there = Self.bookmark(1, "page")
    there.tags = ["News"]
    there.keyword = "own"
    var coming = Self.bookmark(11, "page")
    coming.tags = ["news", "more"]
    coming.keyword = "other"
    var delivery = Self.delivery(over: Self.held([there]))
    #expect(delivery.decide([coming]).map(\.outcome) == [.changed])
    let update = try #require(delivery.edits().updates.first)
    #expect(update.item.tags == ["News", "more"])
    #expect(update.item.keyword == "own")
  }

  @Test func `a foreign id that something else has is not taken twice`() {
    var other = Self.bookmark(1, "other", in: .menu)
    other.guid = "taken"
    var coming = Self.bookmark(11, "folder", kind: .folder)
    coming.guid = "taken"
    var delivery = BookmarkDelivery([Held("taken", other)]) { id, guid, attempt in
      attempt == 0 ? guid ?? "\(id.low)" : "another-\(attempt)"
    }
    #expect(delivery.decide([coming]).map(\.foreignID) == ["another-1"])
  }

  @Test func `delivering random trees twice adds nothing the second time`() {
    for seed in UInt64(0)..<40 {
      var random = SeededGenerator(seed: seed)
      var list: [Bookmark] = []
      var folders: [RecordID] = [.toolbar, .menu, .other]
      for number in UInt64(0)..<60 {
        let kinds: [Bookmark.Kind] = [.bookmark, .bookmark, .bookmark, .folder, .separator]
        let kind = kinds.randomElement(using: &random) ?? .bookmark
        let parent = folders.randomElement(using: &random) ?? .other
        let title = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        list.append(Self.bookmark(number, title, in: parent, kind: kind))
        if kind == .folder { folders.append(Self.id(number)) }
      }
      let sorted = Self.treeOrder(list)
      var there = Self.held(Array(sorted.prefix(20)))
      var first = Self.delivery(over: there)
      _ = first.decide(sorted)
      there = Self.applied(first.edits(), to: there)
      var second = Self.delivery(over: there)
      let decisions = second.decide(sorted)
      #expect(decisions.count == list.count)
      #expect(decisions.allSatisfy { $0.outcome == .unchanged }, "seed \(seed)")
      #expect(second.edits().isEmpty, "seed \(seed)")
    }
  }

  // MARK: -

  private static func treeOrder(_ list: [Bookmark]) -> [Bookmark] {
    var result: [Bookmark] = []
    func walk(_ parent: RecordID) {
      for one in list where one.parent == parent {
        result.append(one)
        walk(one.id)
      }
    }
    for root in RecordID.roots { walk(root.id) }
    return result
  }

  /// What a profile would hold after these edits.
  private static func applied(_ edits: BookmarkEdits, to there: [Held<Bookmark>]) -> [Held<Bookmark>] {
    var items = Dictionary(there.map { ($0.foreignID, $0.item) }, uniquingKeysWith: { $1 })
    var ids = items.mapValues(\.id)
    var children: [RecordID: [String]] = [:]
    for one in there { children[one.item.parent, default: []].append(one.foreignID) }
    func id(_ folder: HeldFolder) -> RecordID {
      switch folder {
      case .root(let root): root
      case .item(let name): ids[name] ?? .other
      }
    }
    for insertion in edits.insertions {
      var item = insertion.held.item
      item.id = RecordID(high: 11, low: item.id.low)
      item.parent = id(insertion.folder)
      ids[insertion.held.foreignID] = item.id
      items[insertion.held.foreignID] = item
      children[item.parent, default: []].append(insertion.held.foreignID)
    }
    for (folder, order) in edits.order {
      let rest = (children[id(folder)] ?? []).filter { !order.contains($0) }
      children[id(folder)] = order + rest
    }
    var result: [Held<Bookmark>] = []
    func walk(_ parent: RecordID) {
      for name in children[parent] ?? [] {
        guard let item = items[name] else { continue }
        result.append(Held(name, item))
        walk(item.id)
      }
    }
    for root in RecordID.roots { walk(root.id) }
    return result
  }
}
