internal import BrowsingData

/// Makes records of bookmark HTML: a machine over its tags with a stack of open folders, no recursion. Gives batches until
/// the file ends.
struct NetscapeBookmarkReader {
  /// An open folder.
  private struct Level {
    var id: RecordID
    /// Whether what is in it goes to the reading list.
    var isReadingList = false
    /// Lists inside it that belong to no heading.
    var extraLists = 0
    /// How many children it has; those of a root are counted in `rootChildren`.
    var children = 0
  }

  /// Where text goes.
  private enum Collecting {
    case nothing
    case documentTitle
    case title
    case description
  }

  private var tokenizer: HTMLTokenizer
  private var lines = LineCounter()
  private var ids: BookmarkIDs
  private var stack: [Level]
  /// The folder whose heading was read last, until its list starts.
  private var pending: Level?
  private var collecting = Collecting.nothing
  private var text: [UInt8] = []
  /// Whether the last one of `batch` can still be added to: its title or description is being read or may follow.
  private var hasItem = false
  private var itemLine = 0
  private var itemMeaning: NetscapeRoots.Meaning?
  private var isItemDropped = false
  /// Whether the heading that is being read may be one of the folders that Safari gives a root of its own.
  private var isSafariTop = false
  private var rootChildren = [0, 0, 0, 0]
  private var batch: [Bookmark] = []
  private var batchBytes = 0
  private var readingList: [ReadingListItem] = []
  private var readingListIDs: Set<RecordID> = []
  private var remarks: [Remark] = []
  private var isAtEnd = false

  private static let batchCount = 2048
  private static let batchSize = 4 << 20
  /// A larger icon is dropped (records.md).
  static let maximumIcon = 128 << 10

  /// Over a whole file in UTF-8.
  init(_ bytes: [UInt8]) {
    tokenizer = HTMLTokenizer(bytes)
    ids = BookmarkIDs(expected: min(bytes.count / 256, 1 << 20))
    stack = [Level(id: NetscapeRoots.top(of: bytes))]
  }

  /// The next batch; nil after the last one.
  mutating func next() -> RecordBatch? {
    while !isAtEnd {
      if batch.count > NetscapeBookmarkReader.batchCount || batchBytes > NetscapeBookmarkReader.batchSize {
        return takeBookmarks()
      }
      if remarks.count >= NetscapeBookmarkReader.batchCount { return takeRemarks() }
      step()
    }
    if !batch.isEmpty { return takeBookmarks() }
    if !readingList.isEmpty {
      defer { readingList = [] }
      return .readingList(readingList)
    }
    return remarks.isEmpty ? nil : takeRemarks()
  }

  /// Takes what is complete.
  private mutating func takeBookmarks() -> RecordBatch {
    let open = hasItem ? batch.removeLast() : nil
    let complete = batch
    batch = []
    if !isAtEnd { batch.reserveCapacity(NetscapeBookmarkReader.batchCount + 2) }
    if let open { batch.append(open) }
    batchBytes = 0
    return .bookmarks(complete)
  }

  private mutating func takeRemarks() -> RecordBatch {
    defer { remarks = [] }
    return .remarks(remarks)
  }

  // MARK: Tokens

  private mutating func step() {
    switch tokenizer.next() {
    case .text(let range):
      if collecting != .nothing { CharacterReferences.append(tokenizer.bytes, range, inAttribute: false, to: &text) }
    case .open(let tag):
      open(tag)
    case .close(let tag):
      close(tag)
    case .end:
      endText()
      flush()
      isAtEnd = true
    }
  }

  private mutating func open(_ tag: HTMLTokenizer.Tag) {
    switch tag {
    case .a: if !isInsideText { openLink() }
    case .heading: openHeading()
    case .list: openList()
    case .rule: addSeparator()
    case .dd: openDescription()
    case .dt, .item: endText()
    case .title:
      endText()
      collecting = .documentTitle
    case .meta: readMeta()
    case .lineBreak: if collecting == .description { text.append(0x0A) }
    case .other: break
    }
  }

  private mutating func close(_ tag: HTMLTokenizer.Tag) {
    switch tag {
    case .a: if collecting == .title, isOpen(.bookmark) { endText() }
    case .heading: if collecting == .title, isOpen(.folder) { endText() }
    case .title: if collecting == .documentTitle { endText() }
    case .list: closeList()
    case .dd: endText()
    case .dt, .item, .rule, .meta, .lineBreak, .other: break
    }
  }

  /// Whether a link here is text: in a description, or in the title of a folder.
  private var isInsideText: Bool {
    collecting == .description || (collecting == .title && isOpen(.folder))
  }

  // MARK: Lists

  private mutating func openList() {
    endText()
    if let folder = pending {
      stack.append(folder)
      pending = nil
    } else {
      stack[stack.count - 1].extraLists += 1
    }
  }

  private mutating func closeList() {
    endText()
    flush()
    pending = nil
    if stack[stack.count - 1].extraLists > 0 {
      stack[stack.count - 1].extraLists -= 1
    } else if stack.count > 1 {
      stack.removeLast()
    }
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

  // MARK: Items

  /// Ends the item before and starts one.
  private mutating func begin() {
    endText()
    flush()
    pending = nil
    isItemDropped = false
    itemMeaning = nil
    itemLine = tokenizer.start
    if tokenizer.hasRecovered { warn("a quote that is never closed was closed by guess", at: itemLine) }
  }

  private mutating func add(_ item: consuming Bookmark) {
    batch.append(item)
    hasItem = true
  }

  private mutating func openLink() {
    begin()
    guard let url = tokenizer.value(.href) else {
      isItemDropped = true
      remark(.skipped, "a link without an address", at: itemLine)
      return
    }
    if SeparatorAddress.isOne(url) { return addSeparator() }
    if let oddity = oddity(ofAddress: url) { warn(oddity, at: itemLine) }
    var link = Bookmark(id: .other, kind: .bookmark, parent: .other, position: 0, title: "", url: url)
    readDates(&link)
    link.tags = tokenizer.tags()
    link.keyword = tokenizer.value(.keyword)
    link.postData = tokenizer.value(.postData)
    link.charset = tokenizer.value(.charset)
    link.iconURI = tokenizer.value(.iconURI)
    readIcon(&link)
    readOthers(&link)
    add(link)
    collecting = .title
  }

  private mutating func openHeading() {
    begin()
    itemMeaning = NetscapeRoots.meaning(of: tokenizer)
    let isFolded = tokenizer.range(.folded) != nil && tokenizer.range(.addDate) == nil
    if itemMeaning == nil, isFolded, stack.count == 1, stack[0].extraLists == 0 { isSafariTop = true }
    var folder = Bookmark(id: .other, kind: .folder, parent: .other, position: 0, title: "")
    readDates(&folder)
    readOthers(&folder)
    add(folder)
    collecting = .title
  }

  private mutating func addSeparator() {
    begin()
    var separator = Bookmark(id: .other, kind: .separator, parent: .other, position: 0, title: "")
    var isImplausible = false
    separator.dateAdded = tokenizer.time(.addDate, &isImplausible)
    add(separator)
    place()
    flush()
  }

  private mutating func openDescription() {
    endText()
    if hasItem {
      collecting = .description
    } else if !isItemDropped {
      warn("a description that belongs to no bookmark was left out", at: tokenizer.start)
    }
  }

  // MARK: Attributes

  private mutating func readDates(_ item: inout Bookmark) {
    var isImplausible = false
    item.dateAdded = tokenizer.time(.addDate, &isImplausible)
    item.dateModified = tokenizer.time(.lastModified, &isImplausible)
    if item.kind == .bookmark { item.lastVisitedAt = tokenizer.time(.lastVisit, &isImplausible) }
    if isImplausible { warn("a date that is none in any unit was left out", at: itemLine) }
  }

  private mutating func readIcon(_ link: inout Bookmark) {
    guard let range = tokenizer.range(.icon), !range.isEmpty else { return }
    guard range.count <= NetscapeBookmarkReader.maximumIcon else {
      warn("an icon of more than 128 KiB was left out", at: itemLine)
      return
    }
    guard let icon = tokenizer.value(.icon) else { return }
    if icon.hasPrefix("data:") {
      link.icon = icon
    } else if link.iconURI == nil {
      link.iconURI = icon
    }
  }

  private mutating func readOthers(_ item: inout Bookmark) {
    if let others = tokenizer.others(ofLink: item.kind == .bookmark) {
      if !others.isEmpty { item.attributes = others }
    } else {
      warn("more than 64 KiB or 64 attributes of other programs were left out", at: itemLine)
    }
  }

  private mutating func readMeta() {
    guard let name = tokenizer.range(.httpEquiv) else { return }
    // No other browser writes one.
    if tokenizer.bytes.isWord(name, "content-security-policy") { setTop(.menu) }
  }

  /// Says where the top level goes, while nothing was read of it.
  private mutating func setTop(_ root: RecordID) {
    if stack.count == 1, !hasItem, rootChildren.allSatisfy({ $0 == 0 }) { stack[0].id = root }
  }

  // MARK: Text

  /// Ends the title or description that is being read.
  private mutating func endText() {
    let ended = collecting
    if ended == .nothing { return }
    collecting = .nothing
    let found = text.text(text.trimmed(0..<text.count))
    text.removeAll(keepingCapacity: true)
    switch ended {
    case .nothing: break
    case .documentTitle: if found == "Bookmarks Menu" { setTop(.menu) }
    case .title:
      guard hasItem else { return }
      batch[last].title = found
      if isOpen(.folder) { placeFolder() } else { place() }
    case .description:
      if !found.isEmpty, hasItem {
        let before = batch[last].description.map { $0 + "\n" } ?? ""
        batch[last].description = before + found
      }
    }
  }

  /// Gives the item its place among its siblings and its id.
  private mutating func place() {
    let level = stack[stack.count - 1]
    if level.isReadingList { return }
    guard hasItem else { return }
    let position = nextPosition()
    batch[last].parent = level.id
    batch[last].position = position
    _ = ids.identify(&batch[last])
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
  private mutating func flush() {
    guard hasItem else { return }
    hasItem = false
    if stack[stack.count - 1].isReadingList {
      addToReadingList(batch.removeLast())
    } else {
      let (icon, url) = (batch[last].icon?.utf8.count ?? 0, batch[last].url?.utf8.count ?? 0)
      batchBytes &+= 256 &+ icon &+ url &+ batch[last].title.utf8.count
    }
  }

  private mutating func dropItem() {
    batch.removeLast()
    hasItem = false
  }

  private var last: Int { batch.count - 1 }

  private func isOpen(_ kind: Bookmark.Kind) -> Bool { hasItem && batch[last].kind == kind }

  private mutating func addToReadingList(_ bookmark: Bookmark) {
    guard let url = bookmark.url else { return }
    let id = RecordID(hashing: .readingListItem(url: url, profile: nil))
    guard readingListIDs.insert(id).inserted else {
      remarks.append(
        Remark(
          .warning, type: .readingList, place: .line(lines.line(at: itemLine, in: tokenizer.bytes)),
          reason: "an address that stands twice in the reading list was taken once"))
      return
    }
    var read = ReadingListItem(id: id, title: bookmark.title, url: url, dateAdded: bookmark.dateAdded)
    read.lastVisitedAt = bookmark.lastVisitedAt
    read.preview = bookmark.description
    readingList.append(read)
  }

  // MARK: Remarks

  private mutating func warn(_ reason: String, at offset: Int) { remark(.warning, reason, at: offset) }

  private mutating func remark(_ kind: Remark.Kind, _ reason: String, at offset: Int) {
    let type: DataType = stack[stack.count - 1].isReadingList ? .readingList : .bookmarks
    let line = lines.line(at: offset, in: tokenizer.bytes)
    remarks.append(Remark(kind, type: type, place: .line(line), reason: reason))
  }
}
