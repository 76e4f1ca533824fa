internal import BrowsingData
internal import Crypto

/// One of Chromium's bookmark files as a tree that can be edited. What it does not know it keeps: further members of
/// nodes, further roots, the version.
struct BookmarksFile {
  /// A folder or a page; its children stand in `children`, not in `members`.
  struct Node {
    /// Its members but for `children`.
    var members: [String: JSONValue]
    /// Indices of `nodes`, in order.
    var children: [Int] = []
    /// Index of what it is in; -1 for a root.
    var parent: Int
    /// Whether it was removed.
    var isRemoved = false

    var isFolder: Bool { members["type"]?.string == "folder" }
    /// By which edits name it.
    var guid: String? { members["guid"]?.nonEmptyString }
  }

  /// The three roots that every file has, with their fixed GUIDs, in Chromium's order.
  static let roots: [(name: String, id: RecordID, guid: String, title: String)] = [
    ("bookmark_bar", .toolbar, "0bc5d13f-2cba-5d74-951f-3f233fe6c908", "Bookmarks bar"),
    ("other", .other, "82b081ec-3dd3-529c-8475-ab6c344590dd", "Other bookmarks"),
    ("synced", .mobile, "4cf2e351-0e85-532b-bb37-df045d8f8d0f", "Mobile bookmarks"),
  ]
  /// The folder that stands for the menu, which Chromium has not: made once, and known again by this GUID.
  static let menuGUID = "7c1f1d0a-52f4-4d6b-9e57-3b8f6a2c9d41"
  static let menuTitle = "Bookmarks menu"
  /// GUIDs that no bookmark may have.
  static let reserved: Set<String> = Set(roots.map(\.guid) + [menuGUID, "323123f4-9381-5aee-80e6-ea5fca2f7672"])

  /// Its name in the profile.
  let name: String
  /// All nodes; removed ones stay, marked.
  private(set) var nodes: [Node] = []
  /// The roots by name, the three known ones and others.
  private(set) var rootNodes: [String: Int] = [:]
  /// The members of the document but for `roots`, and those of `roots` that are no folders.
  private var document: [String: JSONValue] = [:]
  private var otherRoots: [String: JSONValue] = [:]
  /// Nodes by GUID; of several with one GUID the first, and the others have none.
  private var places: [String: Int] = [:]
  private var highestID: Int64 = 0

  /// A file for a profile that has none.
  init(emptyNamed name: String) {
    self.name = name
    document = ["checksum": .string(""), "version": .integer(1)]
    for (index, root) in BookmarksFile.roots.enumerated() {
      rootNodes[root.name] = index
      nodes.append(
        Node(
          members: [
            "date_added": .string("0"), "date_last_used": .string("0"), "date_modified": .string("0"),
            "guid": .string(root.guid), "id": .string(String(index + 1)), "name": .string(root.title),
            "type": .string("folder"),
          ], parent: -1))
    }
    highestID = Int64(nodes.count)
  }

  /// From the file's document; throws `unsupportedSchema` where Chromium would see no bookmarks at all, or not these.
  init(_ value: JSONValue, name: String) throws(ProfileError) {
    self.name = name
    document = value.members
    let version = value["version"]?.integer ?? 0
    guard version == 1 else {
      throw .unsupportedSchema(file: name, version: version, reason: "version 1 is known")
    }
    for (key, root) in (value["roots"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard root["type"]?.string == "folder" else {
        otherRoots[key] = root
        continue
      }
      rootNodes[key] = add(root, parent: -1)
    }
    for root in BookmarksFile.roots where rootNodes[root.name] == nil {
      throw .unsupportedSchema(file: name, version: version, reason: "the root \(root.name) is missing")
    }
    document["roots"] = nil
    for index in nodes.indices {
      if let id = nodes[index].members["id"]?.string.flatMap({ Int64($0) }) { highestID = max(highestID, id) }
      guard let guid = nodes[index].guid, nodes[index].parent >= 0 else { continue }
      if places[guid] == nil { places[guid] = index } else { nodes[index].members["guid"] = nil }
    }
  }

  /// Adds a node of the document and all below it. The reader has bounded the nesting.
  private mutating func add(_ value: JSONValue, parent: Int) -> Int {
    var members = value.members
    let children = members.removeValue(forKey: "children")?.elements ?? []
    let index = nodes.count
    nodes.append(Node(members: members, parent: parent))
    var list: [Int] = []
    list.reserveCapacity(children.count)
    for child in children { list.append(add(child, parent: index)) }
    nodes[index].children = list
    return index
  }

  // MARK: - Looking

  /// The node with this GUID.
  func node(_ guid: String) -> Int? { places[guid] }
  /// The root for one of our roots; nil for the menu.
  func root(_ id: RecordID) -> Int? {
    BookmarksFile.roots.first { $0.id == id }.flatMap { rootNodes[$0.name] }
  }
  /// How many folders are above a node.
  func depth(_ index: Int) -> Int {
    var (depth, above) = (0, nodes[index].parent)
    while above >= 0 {
      depth += 1
      above = nodes[above].parent
    }
    return depth
  }
  /// Whether a node is another one or lies below it.
  func isNode(_ index: Int, inside other: Int) -> Bool {
    var above = index
    while above >= 0 {
      if above == other { return true }
      above = nodes[above].parent
    }
    return false
  }

  // MARK: - Changing

  /// Adds a node at the end of a folder, with an id above all others.
  mutating func insert(_ members: [String: JSONValue], guid: String, into parent: Int) {
    highestID &+= 1
    var members = members
    members["guid"] = .string(guid)
    members["id"] = .string(String(highestID))
    places[guid] = nodes.count
    nodes[parent].children.append(nodes.count)
    nodes.append(Node(members: members, parent: parent))
  }

  /// Sets members of a node.
  mutating func set(_ members: [String: JSONValue], of index: Int) {
    nodes[index].members.merge(members) { _, new in new }
  }

  /// Moves a node to the end of a folder.
  mutating func move(_ index: Int, into parent: Int) {
    nodes[nodes[index].parent].children.removeAll { $0 == index }
    nodes[index].parent = parent
    nodes[parent].children.append(index)
  }

  /// Removes nodes, with all that is still in them.
  mutating func remove(_ indices: Set<Int>) {
    var rest = Array(indices)
    while let index = rest.popLast() {
      guard !nodes[index].isRemoved else { continue }
      nodes[index].isRemoved = true
      if let guid = nodes[index].guid, places[guid] == index { places[guid] = nil }
      rest += nodes[index].children
    }
    for parent in Set(indices.map { nodes[$0].parent }) where parent >= 0 {
      nodes[parent].children = nodes[parent].children.filter { !nodes[$0].isRemoved }
    }
  }

  /// Puts these children of a folder first, in this order. Whether that changed anything.
  mutating func order(_ wanted: [Int], in parent: Int) -> Bool {
    let named = Set(wanted)
    let children = wanted + nodes[parent].children.filter { !named.contains($0) }
    guard children != nodes[parent].children else { return false }
    nodes[parent].children = children
    return true
  }

  // MARK: - Writing

  /// The file's bytes, with the checksum that Chromium expects. What sync had noted about the tree as it was goes: the
  /// browser makes it anew.
  func bytes() -> [UInt8] {
    var members = document
    members["sync_metadata"] = nil
    members["checksum"] = .string(hexadecimal(Hash.md5(checksumInput())))
    var roots = otherRoots
    for (name, index) in rootNodes { roots[name] = value(index) }
    members["roots"] = .object(roots)
    return JSONValue.object(members).bytes
  }

  private func value(_ index: Int) -> JSONValue {
    var members = nodes[index].members
    if nodes[index].isFolder { members["children"] = .array(nodes[index].children.map { value($0) }) }
    return .object(members)
  }

  /// Of each node in order: its id, its title as UTF-16, and `url` with the address, or `folder`.
  private func checksumInput() -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = BookmarksFile.roots.reversed().compactMap { rootNodes[$0.name] }
    while let index = rest.popLast() {
      let node = nodes[index]
      bytes += (node.members["id"]?.string ?? "").utf8
      for unit in (node.members["name"]?.string ?? "").utf16 { bytes += [UInt8(unit & 255), UInt8(unit >> 8)] }
      if node.isFolder {
        bytes += "folder".utf8
        rest += node.children.reversed()
      } else {
        bytes += ("url" + (node.members["url"]?.string ?? "")).utf8
      }
    }
    return bytes
  }
}
