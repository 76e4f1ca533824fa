internal import BrowsingData

/// What happens when the title or description of an item ends: it gets its place, and in the end leaves for the batch.
extension NetscapeBookmarkReader {
  /// The place of the item that is open.
  var last: Int { batch.count - 1 }

  func isOpen(_ kind: Bookmark.Kind) -> Bool { hasItem && batch[last].kind == kind }

  /// Ends the title or description that is being read.
  mutating func endText() {
    let ended = collecting
    if ended == .nothing { return }
    collecting = .nothing
    let found = text.text(text.trimmed(0..<text.count))
    batchBytes &+= text.count
    text.removeAll(keepingCapacity: true)
    switch ended {
    case .nothing: break
    case .documentTitle: if found == "Bookmarks Menu" { setTop(.menu) }
    case .title:
      guard hasItem else { return }
      batch[last].title = found
      if isOpen(.folder) { placeFolder() } else { place() }
    case .description:
      if !found.isEmpty, hasItem { describe(found) }
    }
  }

  private mutating func describe(_ text: String) {
    guard let before = batch[last].description else {
      batch[last].description = text
      return
    }
    // A description may be added to without end.
    if before.utf8.count < 1 << 20 { batch[last].description = before + "\n" + text }
  }

  /// Says where the top level goes, while nothing was read of it.
  mutating func setTop(_ root: RecordID) {
    if stack.count == 1, !hasItem, rootChildren.allSatisfy({ $0 == 0 }) { stack[0].id = root }
  }

  /// Gives the item its place among its siblings and its id.
  mutating func place() {
    let level = stack[stack.count - 1]
    if level.isReadingList { return }
    guard hasItem else { return }
    let position = nextPosition()
    batch[last].parent = level.id
    batch[last].position = position
    _ = ids.identify(&batch[last])
  }

  /// The rank of a new child of the innermost folder.
  private mutating func nextPosition() -> Int {
    let last = stack.count - 1
    let id = stack[last].id
    if id.isRoot {
      let index = Int(id.low) - 1
      defer { rootChildren[index] += 1 }
      return rootChildren[index]
    }
    defer { stack[last].children += 1 }
    return stack[last].children
  }

  private mutating func placeFolder() {
    let level = stack[stack.count - 1]
    var meaning = itemMeaning
    if meaning == nil, isSafariTop, hasItem {
      meaning = NetscapeRoots.safariRoot(title: batch[last].title).map { .root($0) }
    }
    isSafariTop = false
    if level.isReadingList || meaning == .readingList {
      pending = Level(id: level.id, isReadingList: true)
      dropItem()
      return
    }
    if let meaning {
      if level.id.isRoot {
        pending = Level(id: root(meaning))
        dropItem()
        return
      }
      warn("a root inside a folder was read as a folder", at: itemLine)
    }
    place()
    if hasItem { pending = Level(id: batch[last].id) }
  }

  private func root(_ meaning: NetscapeRoots.Meaning) -> RecordID {
    switch meaning {
    case .root(let id): id
    case .top, .readingList: stack[0].id
    }
  }

  /// Ends the item; nothing can be added to it any more.
  mutating func flush() {
    guard hasItem else { return }
    hasItem = false
    let isReading = stack[stack.count - 1].isReadingList
    if !isReading, wanted.contains(.bookmarks) { return }
    let item = batch.removeLast()
    if isReading, wanted.contains(.readingList), !readingList.add(item) {
      warn("an address that stands twice in the reading list was taken once", at: itemLine)
    }
  }

  private mutating func dropItem() {
    batch.removeLast()
    hasItem = false
  }
}
