import BrowsingData
import TestSupport

extension SeededGenerator {
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Text with everything that formats trip over.
  mutating func text(_ maximum: Int = 12, lineEnds: Bool = false) -> String {
    let pieces = [
      "a", "Z", "7", " ", "é", "日本", "😀", "&", "<b>", "\"", "'", "&amp;", "&copy=1", ",", ";", "--", "]]>", "\\", "%20",
      "=", "</A>", "e\u{301}", "\u{200F}",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...maximum, using: &self) {
      text += lineEnds && chance(10) ? "\n" : pieces.randomElement(using: &self) ?? ""
    }
    return text
  }

  mutating func time(unit: Int64 = 1) -> Timestamp? {
    chance(30)
      ? nil : Timestamp(microseconds: Int64.random(in: 1_000_000...4_000_000_000_000_000, using: &self) / unit * unit)
  }
}

/// Bookmarks as a store would hand them over: parents first.
func randomTree(seed: UInt64, count: Int) -> [Bookmark] {
  var numbers = SeededGenerator(seed: seed)
  var folders: [RecordID] = RecordID.roots.map(\.id)
  var positions: [RecordID: Int] = [:]
  return (0..<count).map { index in
    let parent = folders.randomElement(using: &numbers) ?? .other
    let position = positions[parent] ?? 0
    positions[parent] = position + 1
    let kind: Bookmark.Kind = numbers.chance(60) ? .bookmark : numbers.chance(70) ? .folder : .separator
    var bookmark = Bookmark(
      id: RecordID(high: 77, low: UInt64(index)), kind: kind, parent: parent, position: position, title: "")
    bookmark.dateAdded = numbers.time()
    if kind == .separator { return bookmark }
    bookmark.title = numbers.text()
    bookmark.dateModified = numbers.time()
    if numbers.chance(20) { bookmark.description = numbers.text(20, lineEnds: true) }
    if kind == .folder {
      folders.append(bookmark.id)
      return bookmark
    }
    bookmark.url = "http://h\(index).test/?" + numbers.text(4)
    if numbers.chance(20) { bookmark.tags = ["x", "tag \(index)"] }
    if numbers.chance(10) { bookmark.keyword = "k\(index)" }
    if numbers.chance(10) { bookmark.postData = numbers.text() + "p" }
    if numbers.chance(10) { bookmark.charset = "windows-1251" }
    if numbers.chance(10) { bookmark.icon = "data:image/png;base64,AA" }
    if numbers.chance(10) { bookmark.iconURI = "http://i.test/\(index)" }
    if numbers.chance(10) { bookmark.attributes = [NamedValue(name: "PRIVATE", value: numbers.text())] }
    if numbers.chance(10) { bookmark.lastVisitedAt = numbers.time() }
    return bookmark
  }
}
