import BrowsingData
import Merge
import Testing

@Suite struct BookmarkViewTests {
  @Test func `children stand in the order of their keys, roots in their own`() {
    let view = BookmarkView([
      node(1, .other, 5), node(2, .toolbar, 2), node(3, .toolbar, 1, .folder), node(4, 3, 1), node(5, 3, 0),
    ])
    #expect(shape(view) == ["toolbar/3", "3/5", "3/4", "toolbar/2", "other/1"])
  }

  @Test func `children of a deleted folder go to where it stood, and to other when nobody knows`() {
    let view = BookmarkView(
      [node(1, 8, 0), node(2, 9, 0), node(3, 4, 0), node(4, .menu, 0, .folder)],
      graves: [id(8): id(7), id(7): id(4)])
    #expect(shape(view) == ["menu/4", "4/1", "4/3", "other/2"])
  }

  @Test func `a bookmark as parent is no parent`() {
    let view = BookmarkView([node(1, .menu, 0), node(2, 1, 0)])
    #expect(shape(view) == ["menu/1", "other/2"])
  }

  @Test func `a circle is cut at its newest move, which goes back to where it was`() {
    var first = node(1, 2, 0, .folder, placed: 10)
    var second = node(2, 1, 0, .folder, placed: 20)
    first.previousParent = .menu
    second.previousParent = .toolbar
    let view = BookmarkView([first, second, node(3, 1, 0)])
    #expect(shape(view) == ["toolbar/2", "2/1", "1/3"])
    #expect(view.repairs.map(\.node) == [1])
    #expect(view.repairs.map(\.parent) == [.toolbar])
  }

  @Test func `a folder in itself goes to other`() {
    #expect(shape(BookmarkView([node(1, 1, 0, .folder), node(2, 1, 0)])) == ["other/1", "1/2"])
  }

  @Test func `equal siblings are one item and their children one list, separators never`() {
    let view = BookmarkView([
      node(1, .menu, 0, .folder, content: 50), node(2, .menu, 1, .folder, content: 50), node(3, 1, 0, content: 60),
      node(4, 2, 1, content: 60), node(5, 2, 2, content: 61), node(6, .menu, 3, .separator, content: 70),
      node(7, .menu, 4, .separator, content: 70),
    ])
    #expect(shape(view) == ["menu/1", "1/3", "1/5", "menu/6", "menu/7"])
    #expect(view.items.reduce(0) { $0 + $1.members.count } == 7)
  }

  @Test func `equal siblings that are meant to be two stay two`() {
    let first = node(1, .menu, 0, content: 50)
    var second = node(2, .menu, 1, content: 50)
    second.occurrence = 1
    #expect(shape(BookmarkView([first, second])) == ["menu/1", "menu/2"])
  }

  @Test func `600 folders in one another and 20,000 in one need no recursion`() {
    var nodes = (1...600).map { node($0, $0 == 1 ? .menu : id($0 - 1), 0, .folder) }
    nodes += (1...20_000).map { node(10_000 + $0, id(600), 20_000 - $0) }
    let view = BookmarkView(nodes)
    var count = 0
    view.walk { _ in count += 1 }
    #expect(count == 20_600)
  }

  @Test func `random records, in any order, are each shown once, in the same tree`() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<400 {
      let count = 1 + random.below(12)
      var nodes = (1...count).map { number -> BookmarkNode in
        let parent = random.below(4) == 0 ? RecordID.roots[random.below(4)].id : id(1 + random.below(count + 1))
        var one = node(
          number, parent, random.below(5), random.below(3) > 0 ? .folder : .bookmark, placed: Int64(random.below(100)))
        if random.below(2) == 0 { one.previousParent = id(1 + random.below(count)) }
        return one
      }
      let graves = [id(count + 1): id(1 + random.below(count))]
      let first = BookmarkView(nodes, graves: graves)
      nodes.shuffle(using: &random)
      let second = BookmarkView(nodes, graves: graves)
      #expect(shape(first) == shape(second))
      #expect(shape(first).count == count)
      #expect(Set(shape(first)).count == count)
    }
  }

  private func id(_ number: Int) -> RecordID { RecordID(high: 77, low: UInt64(number)) }

  private func node(
    _ number: Int, _ parent: Int, _ order: Int, _ kind: Bookmark.Kind = .bookmark, content: Int? = nil,
    placed: Int64 = 0
  ) -> BookmarkNode {
    node(number, id(parent), order, kind, content: content, placed: placed)
  }

  private func node(
    _ number: Int, _ parent: RecordID, _ order: Int, _ kind: Bookmark.Kind = .bookmark, content: Int? = nil,
    placed: Int64 = 0
  ) -> BookmarkNode {
    BookmarkNode(
      id: id(number), parent: parent, kind: kind, content: ContentKey(high: 0, low: UInt64(content ?? number)),
      order: OrderKey([1, UInt8(order >> 16), UInt8(order >> 8 & 255), UInt8(order & 255)])!,
      placed: Stamp(time: placed, dot: Dot(replica: id(0), counter: Int64(number))))
  }

  private func shape(_ view: BookmarkView) -> [String] {
    var lines: [String] = []
    view.walk { item in
      let parent = item.parentID.isRoot ? item.parentID.description : "\(item.parentID.low)"
      lines.append("\(parent)/\(view.nodes[item.node].id.low)")
    }
    return lines
  }
}
