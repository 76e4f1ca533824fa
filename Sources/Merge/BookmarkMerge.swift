package import BrowsingData

/// How the fields of a bookmark change when another one is found to be it. Place and id are no affair of this.
package enum BookmarkMerge {
  /// The rule for a match by id: an incoming one that was changed earlier only fills gaps.
  package static func rule(_ incoming: Bookmark, over known: Bookmark) -> MergeRule {
    guard let theirs = incoming.dateModified, let mine = known.dateModified, theirs < mine else { return .update }
    return .fill
  }

  /// The fields after the merge. `sameID`: matched by id, so that its dates and tags are the source's to say.
  package static func merged(
    _ incoming: Bookmark, over known: Bookmark, _ rule: MergeRule, sameID: Bool
  ) -> Bookmark {
    var result = known
    let dates = sameID ? rule : .fill
    result.title = taking(incoming.title, over: known.title, rule)
    result.url = taking(incoming.url, over: known.url, rule)
    result.dateAdded = taking(incoming.dateAdded, over: known.dateAdded, dates)
    result.dateModified = sameID ? later(incoming.dateModified, known.dateModified, rule) : known.dateModified
    if !sameID, known.dateModified == nil { result.dateModified = incoming.dateModified }
    result.tags = tags(incoming.tags, over: known.tags, dates)
    result.keyword = taking(incoming.keyword, over: known.keyword, rule)
    result.postData = taking(incoming.postData, over: known.postData, rule)
    result.description = taking(incoming.description, over: known.description, rule)
    result.charset = taking(incoming.charset, over: known.charset, rule)
    result.icon = taking(incoming.icon, over: known.icon, rule)
    result.iconURI = taking(incoming.iconURI, over: known.iconURI, rule)
    result.lastVisitedAt = later(incoming.lastVisitedAt, known.lastVisitedAt, rule)
    result.attributes = attributes(incoming.attributes, over: known.attributes, rule)
    result.guid = taking(incoming.guid, over: known.guid, rule == .exact ? .exact : .fill)
    result.profile = taking(incoming.profile, over: known.profile, rule == .exact ? .exact : .fill)
    result.application = taking(incoming.application, over: known.application, rule == .exact ? .exact : .fill)
    result.unknown = taking(incoming.unknown, over: known.unknown, rule)
    return result
  }

  private static func tags(_ incoming: [String], over known: [String], _ rule: MergeRule) -> [String] {
    switch rule {
    case .exact: return incoming
    case .update: return incoming.isEmpty ? known : incoming
    case .fill: return known + incoming.filter { !known.contains($0) }
    }
  }

  private static func attributes(
    _ incoming: [NamedValue], over known: [NamedValue], _ rule: MergeRule
  ) -> [NamedValue] {
    guard rule != .exact else { return incoming }
    var result = known
    for attribute in incoming {
      if let place = result.firstIndex(where: { $0.name == attribute.name }) {
        if rule == .update { result[place] = attribute }
      } else {
        result.append(attribute)
      }
    }
    return result
  }
}
