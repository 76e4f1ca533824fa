import Browsers
import BrowsingData
import Glibc

// Reads the history of a profile into records and lets them go: what Scripts/bench browsers measures.
guard CommandLine.arguments.count == 2, let profile = ProfileDiscovery.recognise(path: CommandLine.arguments[1]) else {
  exit(64)  // One argument: the folder of a profile.
}
var (pages, visits) = (0, 0)
try profile.open().read(.history) { batch in
  switch batch {
  case .pages(let batch): pages += batch.pages.count
  case .visits(let batch): visits += batch.visits.count
  case .bookmarks, .readingList, .extensions, .logins, .cards, .history, .remarks: break
  }
}
print("\(pages) \(visits)")
