internal import BrowsingData

/// What Firefox makes of a bookmark.
enum PlacesFitting {
  private static let maximumTag = 100

  /// The bookmark as places.sqlite holds it, and what is lost.
  static func fit(_ bookmark: Bookmark) -> Fitting<Bookmark> {
    var result = Bookmark(
      id: bookmark.id, kind: bookmark.kind, parent: bookmark.parent, position: bookmark.position,
      title: PlacesAddress.cut(title: bookmark.title), dateAdded: bookmark.dateAdded.map(milliseconds),
      dateModified: bookmark.dateModified.map(milliseconds))
    result.guid = bookmark.guid
    result.profile = bookmark.profile
    result.application = bookmark.application
    if bookmark.kind == .separator { result.title = "" }
    var losses: [FieldLoss] = []
    if bookmark.kind != .separator, result.title != bookmark.title {
      losses.append(FieldLoss("title", "Firefox holds 4096 characters of a title"))
    }
    if bookmark.kind == .bookmark {
      guard let url = bookmark.url else { return .refused(reason: "it has no address") }
      switch address(url) {
      case .success(let normal): result.url = normal
      case .failure(let reason): return .refused(reason: reason.words)
      }
      (result.tags, losses) = tags(bookmark.tags, losses)
      result.keyword = bookmark.keyword.map(keyword).flatMap { $0.isEmpty ? nil : $0 }
      result.postData = result.keyword == nil ? nil : bookmark.postData
    }
    losses += unheld(bookmark)
    return .held(result, losses: losses)
  }

  /// Why an address cannot be held.
  struct Refusal: Error {
    var words: String
  }

  /// An address as Firefox holds it.
  static func address(_ url: String) -> Result<String, Refusal> {
    guard let normal = PageAddress.normalized(url) else {
      return .failure(Refusal(words: "Firefox takes its address for none"))
    }
    guard normal.utf8.count <= PlacesAddress.maximumLength else {
      return .failure(Refusal(words: "its address is longer than Firefox's 65536 bytes"))
    }
    return .success(normal)
  }

  private static func milliseconds(_ time: Timestamp) -> Timestamp {
    Timestamp(microseconds: time.microseconds / 1_000 * 1_000)
  }

  private static func keyword(_ text: String) -> String { trimmed(text).lowercased() }

  /// Tags are divided by commas, and one that differs in case alone is the same.
  private static func tags(_ tags: [String], _ losses: [FieldLoss]) -> ([String], [FieldLoss]) {
    var result: [String] = []
    var known: Set<String> = []
    var hasLoss = false
    for tag in tags {
      let parts = tag.split(separator: ",").map { trimmed(String($0)) }
      if parts.count > 1 { hasLoss = true }
      for part in parts where !part.isEmpty {
        if part.utf16.count > maximumTag {
          hasLoss = true
        } else if known.insert(part.lowercased()).inserted {
          result.append(part)
        }
      }
    }
    guard hasLoss else { return (result, losses) }
    return (result, losses + [FieldLoss("tags", "a tag of Firefox has at most 100 characters and no comma")])
  }

  private static func trimmed(_ text: String) -> String {
    let spaces: Set<Character> = [" ", "\t", "\n", "\r", "\u{0C}"]
    var part = text[...]
    while let first = part.first, spaces.contains(first) { part.removeFirst() }
    while let last = part.last, spaces.contains(last) { part.removeLast() }
    return String(part)
  }

  private static func unheld(_ bookmark: Bookmark) -> [FieldLoss] {
    var losses: [FieldLoss] = []
    if bookmark.description != nil { losses.append(FieldLoss("description", "Firefox has none since version 62")) }
    if bookmark.charset != nil { losses.append(FieldLoss("charset", "Firefox finds it out itself")) }
    if bookmark.icon != nil { losses.append(FieldLoss("icon", "Firefox fetches icons itself")) }
    if bookmark.iconURI != nil { losses.append(FieldLoss("icon_uri", "Firefox fetches icons itself")) }
    if bookmark.lastVisitedAt != nil {
      losses.append(FieldLoss("last_visited_at", "Firefox takes it from its history"))
    }
    return losses
  }
}
