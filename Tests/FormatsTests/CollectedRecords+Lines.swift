import BrowsingData
import TestSupport

extension CollectedRecords {
  var skipped: [Remark] { remarks.filter { $0.kind == .skipped } }
  var warnings: [Remark] { remarks.filter { $0.kind == .warning } }

  /// `root > folder > title <url>`, a folder with `/` at its end, a separator as `----`; depth first.
  var lines: [String] {
    var children: [RecordID: [Bookmark]] = [:]
    for bookmark in bookmarks { children[bookmark.parent, default: []].append(bookmark) }
    var open: [(Bookmark, String)] = []
    func push(_ parent: RecordID, _ path: String) {
      let sorted = (children[parent] ?? []).sorted { $0.position < $1.position }
      for child in sorted.reversed() { open.append((child, path)) }
    }
    var lines: [String] = []
    for root in RecordID.roots {
      push(root.id, root.name)
      while let (bookmark, path) = open.popLast() {
        switch bookmark.kind {
        case .bookmark: lines.append("\(path) > \(bookmark.title) <\(bookmark.url ?? "")>")
        case .separator: lines.append("\(path) > ----")
        case .folder:
          lines.append("\(path) > \(bookmark.title)/")
          push(bookmark.id, "\(path) > \(bookmark.title)")
        }
      }
    }
    return lines
  }
}
