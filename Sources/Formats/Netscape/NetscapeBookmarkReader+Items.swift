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

  /// Adds an item of which nothing else is known yet: it is filled in where it stays.
  private mutating func add(_ kind: Bookmark.Kind, url: String? = nil) {
    batch.append(Bookmark(id: .other, kind: kind, parent: .other, position: 0, title: "", url: url))
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
    add(.bookmark, url: url)
    readDates()
    batch[last].tags = tokenizer.tags()
    batch[last].keyword = tokenizer.value(.keyword)
    batch[last].postData = tokenizer.value(.postData)
    batch[last].charset = tokenizer.value(.charset)
    batch[last].iconURI = tokenizer.value(.iconURI)
    readIcon()
    readOthers()
    collecting = .title
  }

  mutating func openHeading() {
    begin()
    itemMeaning = NetscapeRoots.meaning(of: tokenizer)
    let isFolded = tokenizer.range(.folded) != nil && tokenizer.range(.addDate) == nil
    if itemMeaning == nil, isFolded, stack.count == 1, stack[0].extraLists == 0 { isSafariTop = true }
    add(.folder)
    readDates()
    readOthers()
    collecting = .title
  }

  mutating func addSeparator() {
    begin()
    add(.separator)
    var isImplausible = false
    batch[last].dateAdded = tokenizer.time(.addDate, &isImplausible)
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

  private mutating func readDates() {
    var isImplausible = false
    batch[last].dateAdded = tokenizer.time(.addDate, &isImplausible)
    batch[last].dateModified = tokenizer.time(.lastModified, &isImplausible)
    if isOpen(.bookmark) { batch[last].lastVisitedAt = tokenizer.time(.lastVisit, &isImplausible) }
    if isImplausible { warn("a date that is none in any unit was left out", at: itemLine) }
  }

  private mutating func readIcon() {
    guard let range = tokenizer.range(.icon), !range.isEmpty else { return }
    guard range.count <= NetscapeBookmarkReader.maximumIcon else {
      warn("an icon of more than 128 KiB was left out", at: itemLine)
      return
    }
    guard let icon = tokenizer.value(.icon) else { return }
    if icon.hasPrefix("data:") {
      batch[last].icon = icon
    } else if batch[last].iconURI == nil {
      batch[last].iconURI = icon
    }
  }

  private mutating func readOthers() {
    if let others = tokenizer.others(ofLink: isOpen(.bookmark)) {
      if !others.isEmpty { batch[last].attributes = others }
    } else {
      warn("more than 64 KiB or 64 attributes of other programs were left out", at: itemLine)
    }
  }
}
