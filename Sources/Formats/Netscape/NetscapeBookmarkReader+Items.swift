internal import BrowsingData

/// Links, headings and separators, as their tags are opened.
extension NetscapeBookmarkReader {
  /// A larger icon is dropped (records.md).
  static let maximumIcon = 128 << 10

  /// Ends the item before and starts one.
  private mutating func begin() {
    endText()
    flush()
    pending = nil
    isItemDropped = false
    itemMeaning = nil
    itemLine = tokenizer.line()
    batchBytes &+= tokenizer.length
    if tokenizer.hasRecovered { warn("a quote that is never closed was closed by guess", at: itemLine) }
  }

  private mutating func add(_ item: consuming Bookmark) {
    batch.append(item)
    hasItem = true
  }

  mutating func openLink() {
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

  mutating func openHeading() {
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

  mutating func addSeparator() {
    begin()
    var separator = Bookmark(id: .other, kind: .separator, parent: .other, position: 0, title: "")
    var isImplausible = false
    separator.dateAdded = tokenizer.time(.addDate, &isImplausible)
    add(separator)
    place()
    flush()
  }

  mutating func openDescription() {
    endText()
    if hasItem {
      collecting = .description
    } else if !isItemDropped {
      warn("a description that belongs to no bookmark was left out", at: tokenizer.line())
    }
  }

  mutating func readMeta() {
    guard let name = tokenizer.range(.httpEquiv) else { return }
    // No other browser writes one.
    if tokenizer.bytes.isWord(name, "content-security-policy") { setTop(.menu) }
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
}
