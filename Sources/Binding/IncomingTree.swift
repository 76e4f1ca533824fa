internal import BrowsingData

/// Bookmarks on their way into a profile, parents before children. What was in a folder that the browser cannot hold goes
/// to the folder above it.
struct IncomingTree {
  /// What is to be delivered.
  private(set) var bookmarks: [Bookmark] = []
  private var depths: [RecordID: Int] = [:]
  private var replacements: [RecordID: RecordID] = [:]

  /// How many folders are above what is in this one.
  func depth(below parent: RecordID) -> Int {
    let parent = folder(parent)
    return parent.isRoot ? 1 : (depths[parent] ?? 0) + 1
  }

  /// Adds one that the browser can hold.
  mutating func add(_ bookmark: Bookmark) {
    var bookmark = bookmark
    if bookmark.kind == .folder { depths[bookmark.id] = depth(below: bookmark.parent) }
    bookmark.parent = folder(bookmark.parent)
    bookmarks.append(bookmark)
  }

  /// One that the browser cannot hold.
  mutating func leaveOut(_ bookmark: Bookmark) {
    if bookmark.kind == .folder { replacements[bookmark.id] = folder(bookmark.parent) }
  }

  private func folder(_ id: RecordID) -> RecordID { replacements[id] ?? id }
}

/// How extensions are proposed: a folder of bookmarks that say where to get them.
enum ExtensionLinks {
  /// Drawn once at random.
  static let folderID = RecordID(high: 0x9C3B_52E0_71D4_4A8F, low: 0x8E16_0B7D_2F5A_C943)

  /// The folder, below other bookmarks.
  static var folder: Bookmark {
    Bookmark(id: folderID, kind: .folder, parent: .other, position: 0, title: "Extensions to install")
  }

  /// The proposal of one.
  static func bookmark(of browserExtension: BrowserExtension, url: String, position: Int) -> Bookmark {
    Bookmark(
      id: browserExtension.id, kind: .bookmark, parent: folderID, position: position, title: browserExtension.name,
      url: url)
  }
}

/// The names by which the journal knows folders of a profile: their foreign ids, or a root's name.
struct HeldFolders {
  private var names: [RecordID: String] = [:]

  init(_ held: [Held<Bookmark>]) {
    for one in held where one.item.kind == .folder { names[one.item.id] = one.foreignID }
  }

  /// The name of a folder by the id it has among those that are held.
  func name(of folder: RecordID) -> String { folder.isRoot ? folder.description : names[folder] ?? "" }
}
