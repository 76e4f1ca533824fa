internal import BrowsingData

/// What the files of Firefox and Chromium have in common when they are written: bookmarks are gathered, put in order, and
/// each gets a number and a GUID that no other one has.
struct BookmarkJSONDraft {
  let writer: JSONWriter
  private(set) var tree = BookmarkTree()
  var losses = LossCounter()
  private let output: any ByteOutput
  private var guids: Set<String> = []
  private var nextID: Int64 = 1

  /// Into an output.
  init(_ output: any ByteOutput) {
    self.output = output
    writer = JSONWriter(output)
  }

  /// Takes the bookmarks of a batch.
  mutating func add(_ batch: RecordBatch) {
    if case .bookmarks(let bookmarks) = batch { tree.add(bookmarks) }
  }

  /// Makes a folder of what is in a root that the file does not have; says how many that is.
  mutating func moveRoot(_ root: RecordID, toFolder title: String, in parent: RecordID) -> Int {
    tree.moveRoot(root, toFolder: title, in: parent)
  }

  /// Puts all in order, once they are there. The program keeps some GUIDs for itself.
  mutating func link(reserving reserved: [String]) {
    tree.link()
    losses.add(.bookmarks, "parent", why: "its folder is not there; it went to Other", count: tree.strays)
    guids = Set(reserved)
  }

  /// The next number, from 1.
  mutating func takeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }

  /// Numbers start at 1 again.
  mutating func restartIDs() { nextID = 1 }

  /// A bookmark's own GUID where the program takes it and it is not used yet, else one made of the bytes of its id.
  mutating func guid(of bookmark: Bookmark, isTaken: (String) -> Bool, make: ([UInt8]) -> String) -> String {
    if let guid = bookmark.guid, isTaken(guid), guids.insert(guid).inserted { return guid }
    var attempt = 0
    while true {
      let made = make(bookmark.id.guidBytes(attempt))
      if guids.insert(made).inserted { return made }
      attempt += 1
    }
  }

  /// Ends the file and says what was lost.
  func finish() throws -> [Loss] {
    try writer.flush()
    try output.finish()
    return losses.losses
  }

  /// Leaves everything as it was.
  func abandon() { output.abandon() }
}
