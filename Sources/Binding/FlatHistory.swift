internal import BrowsingData

/// Visits that carry their addresses, as pages and visits that name them by number.
struct FlatHistory {
  private var numbers: [String: Int64] = [:]

  /// The pages that are new, and the visits.
  mutating func split(_ visits: [HistoryVisit]) -> (pages: PageBatch, visits: VisitBatch) {
    var pages = PageBatch()
    var batch = VisitBatch()
    var profiles: [String: Int32] = [:]
    for flat in visits {
      var visit = VisitBatch.Visit(
        page: number(flat.url, flat.title, &pages), time: flat.visitedAt.microseconds)
      let link = flat.redirectSource ?? flat.referrer
      if let link {
        visit.linkPage = number(link.url, nil, &pages)
        visit.linkDelta = flat.visitedAt.microseconds &- link.visitedAt.microseconds
      }
      if flat.redirectSource != nil { visit.flags.insert(.linkIsRedirect) }
      if !flat.loaded { visit.flags.insert(.loadFailed) }
      if !flat.httpGet { visit.flags.insert(.notGet) }
      if flat.hidden { visit.flags.insert(.hidden) }
      visit.occurrence = Int32(clamping: flat.occurrence)
      visit.transition = flat.transition?.rawValue ?? 0
      if let profile = flat.profile {
        if profiles[profile] == nil {
          profiles[profile] = Int32(batch.profiles.count)
          batch.profiles.append(profile)
        }
        visit.profile = profiles[profile] ?? 0
      }
      var attributes = VisitBatch.Attributes()
      attributes.visitCount = Int64(max(1, flat.visitCount))
      if flat.redirectSource != nil { attributes.referrer = flat.referrer }
      attributes.unknown = flat.unknown
      if !attributes.isEmpty {
        visit.attributes = Int32(batch.attributes.count)
        batch.attributes.append(attributes)
      }
      batch.visits.append(visit)
    }
    return (pages, batch)
  }

  private mutating func number(_ url: String, _ title: String?, _ pages: inout PageBatch) -> Int64 {
    if let known = numbers[url] { return known }
    let number = Int64(numbers.count) + 1
    numbers[url] = number
    pages.append(number: number, url: url.utf8, title: title?.utf8)
    return number
  }
}
