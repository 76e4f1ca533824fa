internal import BrowsingData
internal import Merge
internal import SQLite

/// Rules that forget visits, asked by the numbers that pages have here: of each page the address is looked at once.
final class PageRules {
  private unowned let store: RecordStore
  private let rules: ForgetRules
  private var known: [Int64: ForgottenTimes] = [:]
  /// Whether no other page can match than those that are known.
  private let isComplete: Bool
  /// Whether there are no rules.
  let isEmpty: Bool

  /// So many pages are remembered before the memory is emptied.
  private static let memory = 300_000

  /// `findingPages`: where only addresses are named their pages are looked up now, which pays when most pages are asked.
  init(_ rules: ForgetRules, in store: RecordStore, findingPages: Bool = false) throws {
    self.store = store
    self.rules = rules
    isEmpty = rules.isEmpty
    let urls = findingPages ? rules.onlyURLs : nil
    isComplete = urls != nil
    let find = try store.statement("SELECT id FROM url WHERE url = ?1")
    for url in urls ?? [] {
      try find.bind(1, url)
      if try find.step() { known[find.int64(0)] = rules.times(of: url) }
      find.reset()
    }
  }

  /// Whether a visit of a page is forgotten; 0 is no page.
  func matches(_ page: Int64, _ time: Int64) throws -> Bool {
    guard !isEmpty, page != 0 else { return false }
    if let times = known[page] { return times.contains(time) }
    if isComplete { return false }
    if known.count >= PageRules.memory { known = [:] }
    guard let url = try store.pageURL(page) else { return false }
    let times = rules.times(of: url)
    known[page] = times
    return times.contains(time)
  }
}
