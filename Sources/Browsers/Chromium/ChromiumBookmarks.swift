internal import BrowsingData

/// Reads the bookmark files of a Chromium profile, depth first: the device's own and, merged into the same roots, the
/// account's. Of each the encrypted copy is taken where the plain file is missing.
struct ChromiumBookmarks {
  /// The device's own file and the account's, each with its encrypted copy.
  static let files = [
    (plain: "Bookmarks", sealed: "EncryptedBookmarks2"),
    (plain: "AccountBookmarks", sealed: "EncryptedAccountBookmarks2"),
  ]
  private static let roots = BookmarksFile.roots.map { (name: $0.name, id: $0.id) }
  private static let batchSize = 1_000

  private let secrets: ChromiumSecrets
  private let profile: String?
  private let application: Application
  private var batch: [Bookmark] = []
  private var remarks: [Remark] = []
  private var given: Set<RecordID> = []
  private var menus: [JSONValue] = []

  /// `profile` is nil for the default one.
  init(secrets: ChromiumSecrets, profile: String?, application: Application) {
    self.secrets = secrets
    self.profile = profile
    self.application = application
  }

  /// How many bookmarks and folders there are.
  static func count(_ folder: ProfileFolder, secrets: ChromiumSecrets) throws(ProfileError) -> Int {
    var (count, remarks) = (0, [Remark]())
    for document in try documents(folder, secrets, &remarks) {
      var nodes = trees(document).flatMap(\.nodes)
      while let node = nodes.popLast() {
        if !isMenu(node) { count += 1 }
        nodes += node["children"]?.elements ?? []
      }
    }
    return count
  }

  /// Hands over the whole tree.
  mutating func read(_ folder: ProfileFolder, into consume: (RecordBatch) throws -> Void) throws {
    var nodes: [RecordID: [JSONValue]] = [:]
    for document in try ChromiumBookmarks.documents(folder, secrets, &remarks) {
      for tree in ChromiumBookmarks.trees(document) { nodes[tree.root, default: []] += tree.nodes }
    }
    for root in ChromiumBookmarks.roots { try walk(nodes[root.id] ?? [], under: root.id, consume) }
    // What stands for the menu was found on the way.
    while let folder = menus.popLast() { try walk(folder["children"]?.elements ?? [], under: .menu, consume) }
    if !batch.isEmpty { try consume(.bookmarks(batch)) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
  }

  private static func documents(
    _ folder: ProfileFolder, _ secrets: ChromiumSecrets, _ remarks: inout [Remark]
  ) throws(ProfileError) -> [JSONValue] {
    var documents: [JSONValue] = []
    for file in files {
      if let document = try JSONValue.read(folder.path + "/" + file.plain) {
        documents.append(try checked(document, file.plain))
      } else if let sealed = try ProfileFile.read(folder.path + "/" + file.sealed) {
        do {
          let bytes = try secrets.bytes(sealed)
          documents.append(try checked(try JSONValue.parse(bytes, file: file.sealed), file.sealed))
        } catch let failure as SecretFailure {
          remarks.append(
            Remark(.skipped, type: .bookmarks, place: .id(file.sealed), reason: secrets.reason(failure)))
        } catch let error as ProfileError {
          throw error
        } catch {
          throw .unreadable(file: file.sealed, reason: "it could not be opened")
        }
      }
    }
    return documents
  }

  private static func checked(_ document: JSONValue, _ file: String) throws(ProfileError) -> JSONValue {
    guard case .object? = document["roots"] else {
      throw .unsupportedSchema(file: file, version: document["version"]?.integer ?? 0, reason: "it has no roots")
    }
    return document
  }

  /// The items below each of our roots. Roots that only some browsers have come as folders under other bookmarks;
  /// their waste bins do not come.
  private static func trees(_ document: JSONValue) -> [(root: RecordID, nodes: [JSONValue])] {
    guard let found = document["roots"] else { return [] }
    var trees = roots.map { (root: $0.id, nodes: found[$0.name]?["children"]?.elements ?? []) }
    var further = found.members.filter { name, _ in !roots.contains { $0.name == name } }
    // Opera keeps several of them in one object.
    if let custom = further.removeValue(forKey: "custom_root") { further.merge(custom.members) { own, _ in own } }
    for (name, node) in further.sorted(by: { $0.key < $1.key })
    where name != "trash" && !(node["children"]?.elements ?? []).isEmpty {
      trees.append((root: .other, nodes: [node]))
    }
    return trees
  }

  private mutating func walk(
    _ nodes: [JSONValue], under root: RecordID, _ consume: (RecordBatch) throws -> Void
  ) throws {
    var levels = [(nodes: nodes, next: 0, parent: root, rank: 0)]
    while let level = levels.last {
      let top = levels.count - 1
      guard level.next < level.nodes.count else {
        levels.removeLast()
        continue
      }
      levels[top].next += 1
      let node = level.nodes[level.next]
      if remarks.count >= 10 * ChromiumBookmarks.batchSize {
        try consume(.remarks(remarks))
        remarks.removeAll()
      }
      if ChromiumBookmarks.isMenu(node) {
        menus.append(node)
        continue
      }
      guard let bookmark = bookmark(node, parent: level.parent, position: level.rank) else { continue }
      levels[top].rank += 1
      batch.append(bookmark)
      if batch.count == ChromiumBookmarks.batchSize {
        try consume(.bookmarks(batch))
        batch.removeAll(keepingCapacity: true)
      }
      if bookmark.kind == .folder {
        levels.append((nodes: node["children"]?.elements ?? [], next: 0, parent: bookmark.id, rank: 0))
      }
    }
  }

  /// Whether a node is the folder that an editor made for the menu, which Chromium has not.
  static func isMenu(_ node: JSONValue) -> Bool {
    node["guid"]?.string == BookmarksFile.menuGUID && node["type"]?.string == "folder"
  }

  /// A node as a record; nil, and a remark, for one that is neither a page nor a folder.
  mutating func bookmark(_ node: JSONValue, parent: RecordID, position: Int) -> Bookmark? {
    let guid = node["guid"]?.nonEmptyString
    let kind: Bookmark.Kind
    switch node["type"]?.string {
    case "folder": kind = .folder
    case "url" where node["url"]?.nonEmptyString != nil: kind = .bookmark
    default:
      let place = (guid ?? node["id"]?.string).map { Remark.Place.id($0) } ?? .none
      remarks.append(Remark(.skipped, type: .bookmarks, place: place, reason: "it is neither a page nor a folder"))
      return nil
    }
    var bookmark = Bookmark(
      id: .other, kind: kind, parent: parent, position: position, title: node["name"]?.string ?? "",
      url: kind == .bookmark ? node["url"]?.string : nil, dateAdded: ChromiumTime.time(node["date_added"]),
      dateModified: ChromiumTime.time(node["date_modified"]))
    bookmark.id = identify(bookmark, guid: guid)
    bookmark.guid = guid
    bookmark.lastVisitedAt = ChromiumTime.time(node["date_last_used"])
    // Vivaldi's.
    bookmark.keyword = node["meta_info"]?["Nickname"]?.nonEmptyString
    bookmark.description = node["meta_info"]?["Description"]?.nonEmptyString
    bookmark.profile = profile
    bookmark.application = application
    return bookmark
  }

  /// By its GUID; by content and place where there is none or another item has it.
  private mutating func identify(_ bookmark: Bookmark, guid: String?) -> RecordID {
    if let guid {
      let id = RecordID(hashing: .bookmark(guid: guid, namespace: "chromium"))
      if given.insert(id).inserted { return id }
    }
    return given.insertContentID(of: bookmark)
  }
}
