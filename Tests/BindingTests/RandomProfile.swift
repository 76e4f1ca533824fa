import TestSupport

/// A profile's bookmarks, changed at random as a person might: titles, places, folders into each other, equal ones.
struct RandomProfile {
  private final class Item {
    let id: String
    var title: String
    let url: String?
    var children: [Item] = []

    init(_ id: String, _ title: String, _ url: String?) { (self.id, self.title, self.url) = (id, title, url) }
  }

  private let root = Item("other", "", nil)
  private var count = 0

  init(_ random: inout SeededGenerator) {
    for _ in 0..<60 { insert(&random) }
  }

  private func folders(outside: Item? = nil) -> [Item] {
    var found: [Item] = []
    var open = [root]
    while let one = open.popLast() {
      if one === outside { continue }
      found.append(one)
      open += one.children.filter { $0.url == nil }
    }
    return found
  }

  private mutating func insert(_ random: inout SeededGenerator) {
    guard let folder = folders().randomElement(using: &random) else { return }
    count += 1
    let title = "t\(Int.random(in: 0..<12, using: &random))"
    let item = Item(
      "i\(count)", title, Int.random(in: 0..<4, using: &random) == 0 ? nil : "https://\(title).test/")
    folder.children.insert(item, at: Int.random(in: 0...folder.children.count, using: &random))
  }

  /// Many changes at once.
  mutating func change(_ random: inout SeededGenerator) {
    var gone = 0
    for _ in 0..<40 {
      guard let folder = folders().filter({ !$0.children.isEmpty }).randomElement(using: &random) else { return }
      let index = Int.random(in: 0..<folder.children.count, using: &random)
      let item = folder.children[index]
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: insert(&random)
      case 2, 3, 4: item.title = "t\(Int.random(in: 0..<12, using: &random))"
      case 5 where gone < 6 && item.children.isEmpty:
        folder.children.remove(at: index)
        gone += 1
      case 6: folder.children.shuffle(using: &random)
      default:
        folder.children.remove(at: index)
        guard let target = folders(outside: item).randomElement(using: &random) else { return }
        target.children.insert(item, at: Int.random(in: 0...target.children.count, using: &random))
      }
    }
  }

  private func walk(_ body: (Item, _ folder: Item, _ depth: Int) -> Void) {
    var open = root.children.map { ($0, root, 0) }
    while !open.isEmpty {
      let (item, folder, depth) = open.removeFirst()
      body(item, folder, depth)
      open = item.children.map { ($0, item, depth + 1) } + open
    }
  }

  /// As `BookmarkScanTests` take it.
  var lines: [(id: String, folder: String, title: String, url: String?)] {
    var lines: [(id: String, folder: String, title: String, url: String?)] = []
    walk { item, folder, _ in lines.append((item.id, folder.id, item.title, item.url)) }
    return lines
  }

  /// Depths, titles and addresses.
  var shape: [String] {
    var shape: [String] = []
    walk { item, _, depth in shape.append("\(depth) \(item.title) \(item.url ?? "")") }
    return shape
  }
}
