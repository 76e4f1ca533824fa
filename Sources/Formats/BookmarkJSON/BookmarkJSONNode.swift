internal import BrowsingData

/// A node of bookmark JSON as it stands in the file.
struct BookmarkJSONNode {
  /// The number of the node that holds it; nil for the top.
  var parent: Int?
  /// The bookmark with what was read of it; ids, parent and position come later.
  var bookmark = Bookmark(id: .other, kind: .bookmark, parent: .other, position: 0, title: "")
  /// Its rank among its siblings, where the file says it.
  var index: Int64?
  /// Which root it is, in the file's own word.
  var root: String?
  /// Whether the file says what kind it is.
  var hasKind = false
  /// Whether it holds children, were it none.
  var hasChildren = false
}

/// How the nodes of a dialect are read.
protocol BookmarkJSONDialect {
  /// The namespace of its ids.
  static var namespace: String { get }
  /// Takes the value of a key into a node; false when the key means nothing here and its value is yet to be passed over.
  static func take(
    _ key: JSONScanner.Text, _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode,
    _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool
}

/// What is noticed while nodes are read.
struct BookmarkJSONNotes {
  /// Some text had bytes that are no UTF-8.
  var hasRepairs = false
  /// Dates that cannot be.
  var implausibleDates = 0
  /// Elements of lists of children that are no nodes.
  var strangeChildren = 0
  /// Lists of children that are no lists.
  var strangeLists = 0
  /// Roots that are no nodes.
  var strangeRoots = 0
  /// Nodes of whose `meta_info` something was left out.
  var partialMetaInfo = 0

  /// The text that comes next.
  mutating func text(_ scanner: inout JSONScanner) throws(FormatError) -> String {
    let text = try scanner.text()
    if let string = scanner.string(text) { return string }
    hasRepairs = true
    return scanner.repairedString(text)
  }

  /// A time, if it is one that can be; 0 is unknown.
  mutating func plausible(_ time: Timestamp?) -> Timestamp? {
    guard let time, time.isPlausible, time.microseconds > 0 else {
      implausibleDates += 1
      return nil
    }
    return time
  }
}
