internal import BrowsingData

/// Reads nodes inside nodes with a stack of its own, however deep.
struct BookmarkJSONReader<Dialect: BookmarkJSONDialect> {
  /// All nodes, parents before children.
  private(set) var nodes: [BookmarkJSONNode] = []
  /// What was noticed.
  var notes = BookmarkJSONNotes()
  /// A file of more nodes is refused.
  var maximumNodes = BookmarkIDs.maximum

  /// Two levels of JSON are one of folders. Deeper files are refused: no browser keeps folders a thousand deep.
  static var maximumDepth: Int { 4096 }

  /// Reads the node that comes next, with everything in it. `root` is what the file calls it.
  mutating func readNode(_ scanner: inout JSONScanner, root: String? = nil) throws(FormatError) {
    var current = try open(&scanner, parent: nil)
    nodes[current].root = root
    // Nodes whose list of children is being read.
    var parents: [Int] = []
    var isInList = false
    while true {
      if isInList {
        if try scanner.nextElement() {
          if try scanner.kind() == .object {
            current = try open(&scanner, parent: parents[parents.count - 1])
            isInList = false
          } else {
            notes.strangeChildren += 1
            try scanner.skipValue()
          }
        } else {
          current = parents.removeLast()
          isInList = false
        }
      } else if let key = try scanner.nextMember() {
        let isChildren = scanner.isEqual(key, "children")
        let kind = try takeUnlessChildren(key, isChildren, current, &scanner)
        if isChildren, kind == .array {
          try scanner.enterArray()
          nodes[current].hasChildren = true
          parents.append(current)
          isInList = true
        }
      } else if parents.isEmpty {
        return
      } else {
        isInList = true
      }
    }
  }

  private mutating func open(_ scanner: inout JSONScanner, parent: Int?) throws(FormatError) -> Int {
    guard nodes.count < maximumNodes else { throw BookmarkIDs.tooMany }
    try scanner.enterObject()
    var node = BookmarkJSONNode()
    node.parent = parent
    nodes.append(node)
    return nodes.count - 1
  }

  private mutating func takeUnlessChildren(
    _ key: JSONScanner.Text, _ isChildren: Bool, _ current: Int, _ scanner: inout JSONScanner
  ) throws(FormatError) -> JSONScanner.Kind {
    if isChildren {
      let kind = try scanner.kind()
      if kind != .array {
        if kind != .null { notes.strangeLists += 1 }
        try scanner.skipValue()
      }
      return kind
    }
    if try !Dialect.take(key, &scanner, into: &nodes[current], &notes) { try scanner.skipValue() }
    return .null
  }
}
