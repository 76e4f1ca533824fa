package import BrowsingData

/// What Chromium makes of records.
extension ChromiumEditor {
  /// A field that it has no place for.
  static func loss(_ field: String) -> FieldLoss { FieldLoss(field, "Chromium has no place for it") }

  /// A bookmark as Chromium would hold it: no separators, no tags, no menu.
  package func fit(_ bookmark: Bookmark, depth: Int) -> Fitting<Bookmark> {
    if bookmark.kind == .separator { return .lost(FieldLoss("kind", "Chromium has no separators")) }
    if depth > ChromiumBookmarkEditing.maximumDepth, bookmark.kind == .folder {
      return .lost(FieldLoss("parent", ChromiumBookmarkEditing.tooDeep))
    }
    var fit = bookmark
    var losses: [FieldLoss] = []
    if bookmark.kind == .bookmark {
      guard let url = bookmark.url.flatMap(PageAddress.normalized) else {
        return .refused(reason: "Chromium does not take its address")
      }
      fit.url = url
      if fit.dateModified != nil { losses.append(ChromiumEditor.loss("date_modified")) }
      fit.dateModified = nil
    }
    fit.title = ChromiumEditor.title(bookmark.title)
    if fit.title != bookmark.title { losses.append(FieldLoss("title", "line ends and tabs became spaces")) }
    if bookmark.parent == .menu {
      losses.append(FieldLoss("parent", "Chromium has no bookmarks menu; it is a folder in Other bookmarks"))
    }
    let lost: [(field: String, isLost: Bool)] = [
      ("tags", !fit.tags.isEmpty), ("keyword", fit.keyword != nil), ("post_data", fit.postData != nil),
      ("description", fit.description?.isEmpty == false), ("charset", fit.charset != nil), ("icon", fit.icon != nil),
      ("icon_uri", fit.iconURI != nil), ("attributes", !fit.attributes.isEmpty),
    ]
    losses += lost.filter(\.isLost).map { ChromiumEditor.loss($0.field) }
    fit.tags = []
    (fit.keyword, fit.postData, fit.description, fit.charset) = (nil, nil, nil, nil)
    (fit.icon, fit.iconURI, fit.attributes) = (nil, nil, [])
    return .held(fit, losses: losses)
  }

  /// A title as Chromium keeps it.
  private static func title(_ title: String) -> String {
    let isSpace: (Unicode.Scalar) -> Bool = { ["\n", "\r", "\t", "\u{2028}", "\u{2029}"].contains($0) }
    guard title.unicodeScalars.contains(where: isSpace) else { return title }
    var result = String.UnicodeScalarView()
    for scalar in title.unicodeScalars { result.append(isSpace(scalar) ? " " : scalar) }
    return String(result)
  }

  /// A reading-list item as Chromium would hold it.
  package func fit(_ item: ReadingListItem) -> Fitting<ReadingListItem> {
    guard ProfileFile.stamp(files.path(ChromiumReadingList.folder + "/CURRENT")) != nil else {
      return .lost(FieldLoss("item", ChromiumReadingListEditing.absent))
    }
    guard let url = PageAddress.normalized(item.url), url.hasPrefix("http") else {
      return .refused(reason: "Chromium does not take its address")
    }
    var fit = item
    fit.url = url
    fit.read = item.read ?? false
    listIDs[item.id] = ChromiumReadingListEditing.foreignID(url)
    var losses: [FieldLoss] = []
    if fit.lastVisitedAt != nil { losses.append(ChromiumEditor.loss("last_visited_at")) }
    if fit.preview?.isEmpty == false { losses.append(ChromiumEditor.loss("preview")) }
    (fit.lastVisitedAt, fit.preview) = (nil, nil)
    return .held(fit, losses: losses)
  }

  /// A login as Chromium would hold it.
  package func fit(_ login: Login) -> Fitting<Login> {
    guard let url = PageAddress.normalized(login.url), url.contains("://") else {
      return .refused(reason: "its address has no origin")
    }
    var fit = login
    fit.url = url
    fit.formAction = login.httpRealm == nil ? PageAddress.normalized(login.formAction ?? "") ?? "" : nil
    var losses: [FieldLoss] = []
    if fit.title?.isEmpty == false { losses.append(ChromiumEditor.loss("title")) }
    if fit.otpauth != nil { losses.append(ChromiumEditor.loss("otpauth")) }
    if !fit.urls.isEmpty { losses.append(ChromiumEditor.loss("urls")) }
    (fit.title, fit.otpauth, fit.urls) = (nil, nil, [])
    return .held(fit, losses: losses)
  }

  /// A card as Chromium would hold it.
  package func fit(_ card: PaymentCard) -> Fitting<PaymentCard> {
    guard card.expirationMonth != nil, card.expirationYear != nil else {
      return .refused(reason: "Chromium deletes a card without the month it expires in")
    }
    var fit = card
    if let used = card.lastUsedAt {
      fit.lastUsedAt = Timestamp(microseconds: used.microseconds / 1_000_000 * 1_000_000)
    }
    return .held(fit, losses: [])
  }

  /// Its page in Chrome's store, or a search there for one like it.
  package func page(of browserExtension: BrowserExtension) -> String {
    let id = browserExtension.identifier
    if id.utf8.count == 32, id.utf8.allSatisfy({ (97...112).contains($0) }) {
      return "https://chromewebstore.google.com/detail/\(id)"
    }
    let name = PageAddress.normalized(
      "https://chromewebstore.google.com/search/\(ChromiumEditor.escaped(browserExtension.name))")
    return name ?? "https://chromewebstore.google.com/"
  }

  /// A name as a piece of a path.
  private static func escaped(_ name: String) -> String {
    var result = ""
    for byte in name.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%" + hexadecimal([byte]).uppercased()
      }
    }
    return result
  }
}
