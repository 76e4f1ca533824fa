internal import BrowsingData

/// Makes records of bookmark HTML: a machine over its tags with a stack of open folders, no recursion. Gives batches until
/// the file ends.
struct NetscapeBookmarkReader: ~Copyable {
  /// An open folder.
  struct Level {
    var id: RecordID
    /// Whether what is in it goes to the reading list.
    var isReadingList = false
    /// Lists inside it that belong to no heading.
    var extraLists = 0
    /// How many children it has; those of a root are counted in `rootChildren`.
    var children = 0
  }

  /// Where text goes.
  enum Collecting {
    case nothing
    case documentTitle
    case title
    case description
  }

  var tokenizer: HTMLTokenizer
  /// What is given: bookmarks, the reading list or both.
  let wanted: DataTypes
  private let givesRemarks: Bool
  var ids: BookmarkIDs
  var stack: [Level]
  /// The folder whose heading was read last, until its list starts.
  var pending: Level?
  var collecting = Collecting.nothing
  var text: [UInt8] = []
  /// Whether the last one of `batch` can still be added to: its title or description is being read or may follow.
  var hasItem = false
  var itemLine = 0
  var itemMeaning: NetscapeRoots.Meaning?
  var isItemDropped = false
  /// Whether the heading that is being read may be one of the folders that Safari gives a root of its own.
  var isSafariTop = false
  var rootChildren = [0, 0, 0, 0]
  var batch: [Bookmark] = []
  /// About how many bytes the texts of the batch have.
  var batchBytes = 0
  var readingList: NetscapeReadingList
  private var remarks: [Remark] = []
  private var isAtEnd = false
  private var isTooDeepSaid = false

  private static let batchCount = 128
  private static let batchSize = 4 << 20
  /// Folders deeper than this are taken into the last one.
  private static let maximumDepth = 1 << 17
  /// What a longer title or description says further on is left out; no store takes such a one.
  private static let maximumText = 1 << 20

  /// Over a text that was looked through.
  init(
    _ text: StreamedText, _ survey: NetscapeSurvey, wanted: DataTypes, givesRemarks: Bool = true
  ) throws(FormatError) {
    let stream = try text.open()
    ids = BookmarkIDs(expected: min((stream.expectedCount ?? 0) / 256, 1 << 20))
    tokenizer = HTMLTokenizer(
      survey.hasNUL ? InputWithoutNUL(stream) : stream, lineMark: text.hasLineFeeds ? 0x0A : 0x0D)
    self.wanted = wanted
    self.givesRemarks = givesRemarks
    readingList = NetscapeReadingList(isTakenInBatches: wanted == .readingList)
    stack = [Level(id: survey.top)]
  }

  /// The next batch; nil after the last one.
  mutating func next() throws(FormatError) -> RecordBatch? {
    while !isAtEnd {
      if batch.count > NetscapeBookmarkReader.batchCount || batchBytes > NetscapeBookmarkReader.batchSize {
        if let complete = takeBookmarks() { return complete }
      }
      if readingList.isFull { return readingList.take() }
      if remarks.count >= NetscapeBookmarkReader.batchCount { return takeRemarks() }
      try step()
    }
    return takeBookmarks() ?? readingList.take() ?? takeRemarks()
  }

  /// Takes what is complete; nil when nothing is.
  private mutating func takeBookmarks() -> RecordBatch? {
    batchBytes = 0
    let open = hasItem ? batch.removeLast() : nil
    let complete = batch
    batch = []
    if !isAtEnd { batch.reserveCapacity(NetscapeBookmarkReader.batchCount + 2) }
    if let open { batch.append(open) }
    return complete.isEmpty ? nil : .bookmarks(complete)
  }

  private mutating func takeRemarks() -> RecordBatch? {
    defer { remarks = [] }
    return remarks.isEmpty ? nil : .remarks(remarks)
  }

  // MARK: Tokens

  private mutating func step() throws(FormatError) {
    switch try tokenizer.next() {
    case .text(let range):
      if collecting != .nothing, text.count < NetscapeBookmarkReader.maximumText {
        CharacterReferences.append(tokenizer.bytes, range, inAttribute: false, to: &text)
      }
    case .open(let tag): open(tag)
    case .close(let tag): close(tag)
    case .overlong: remark(.skipped, "a tag of more than 16 MiB", at: tokenizer.line())
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
    if let folder = pending, stack.count < NetscapeBookmarkReader.maximumDepth {
      stack.append(folder)
    } else {
      if pending != nil, !isTooDeepSaid {
        warn("folders are nested so deeply that those further in were taken as one", at: tokenizer.line())
        isTooDeepSaid = true
      }
      stack[stack.count - 1].extraLists += 1
    }
    pending = nil
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

  // MARK: Remarks

  mutating func warn(_ reason: String, at line: Int) { remark(.warning, reason, at: line) }

  mutating func remark(_ kind: Remark.Kind, _ reason: String, at line: Int) {
    let type: DataType = stack[stack.count - 1].isReadingList ? .readingList : .bookmarks
    guard givesRemarks, wanted.contains(type) else { return }
    remarks.append(Remark(kind, type: type, place: .line(line), reason: reason))
  }
}
