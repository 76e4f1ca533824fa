import BrowsingData
import Store

/// Writes records one after the other: a JSON line each, or a line for people. Holds some of them before they leave.
struct RecordLines {
  private(set) var count = 0
  private let output: Output
  private let isRevealing: Bool
  private var json = JSONWriter()
  private var text: [UInt8] = []
  private var depths: [RecordID: Int] = [:]

  init(_ output: Output, revealing: Bool) {
    self.output = output
    isRevealing = revealing
  }

  /// Whether it is time to `flush`.
  var isFull: Bool { json.bytes.count + text.count > 65_536 }

  /// One record more.
  mutating func add(_ record: Record) {
    count += 1
    if output.isJSON { json.record(record, revealing: isRevealing) } else { text += Array((line(record) + "\n").utf8) }
  }

  /// Writes what is held.
  mutating func flush() {
    output.data(output.isJSON ? json.bytes : text)
    json.clear()
    text.removeAll(keepingCapacity: true)
  }

  private mutating func line(_ record: Record) -> String {
    switch record {
    case .bookmark(let bookmark): return line(bookmark)
    case .readingListItem(let item):
      let state = item.read.map { $0 ? "read  " : "unread" } ?? "      "
      return "\(date(item.dateAdded))  \(state)  \(named(item.title, item.url))"
    case .browserExtension(let item):
      let state = item.enabled == false ? " (off)" : ""
      let place = item.store.map { "  \($0)\(item.storeIdentifier.map { id in " \(visible(id))" } ?? "")" } ?? ""
      return
        "\(visible(item.name))\(item.version.map { " \(visible($0))" } ?? "")\(state)  \(dim(visible(item.identifier)))\(place)"
    case .login(let login):
      let secret = isRevealing ? visible(login.password) : "•••"
      let code =
        isRevealing ? login.otpauth.map { "  \(visible($0))" } ?? "" : login.otpauth == nil ? "" : "  one-time code"
      return "\(visible(login.url))  \(bold(visible(login.username)))  \(secret)\(code)"
    case .paymentCard(let card):
      let number = isRevealing ? visible(card.number) : "•••• \(visible(String(card.number.suffix(4))))"
      return "\(number)  \(expiry(card))  \(visible(card.holder ?? ""))\(card.name.map { "  \(visible($0))" } ?? "")"
    case .historyVisit(let visit):
      let many = visit.visitCount > 1 ? "  (\(grouped(visit.visitCount)) visits)" : ""
      return "\(time(visit.visitedAt))  \(named(visit.title ?? "", visit.url))\(many)"
    }
  }

  private mutating func line(_ bookmark: Bookmark) -> String {
    let depth = bookmark.parent.isRoot ? 1 : (depths[bookmark.parent] ?? 0) + 1
    var root = ""
    if bookmark.parent.isRoot, depths[bookmark.parent] == nil {
      depths[bookmark.parent] = 0
      root = bold(bookmark.parent.description) + "\n"
    }
    let indent = String(repeating: "  ", count: min(depth, 40))
    switch bookmark.kind {
    case .folder:
      depths[bookmark.id] = depth
      return "\(root)\(indent)\(bold(visible(bookmark.title) + "/"))"
    case .separator: return "\(root)\(indent)----"
    case .bookmark:
      let tags = bookmark.tags.isEmpty ? "" : "  #" + bookmark.tags.map(visible).joined(separator: " #")
      return "\(root)\(indent)\(named(bookmark.title, bookmark.url ?? ""))\(tags)"
    }
  }

  private func named(_ title: String, _ url: String) -> String {
    title.isEmpty ? dim(visible(url)) : "\(visible(title))  \(dim(visible(url)))"
  }

  private func expiry(_ card: PaymentCard) -> String {
    guard let month = card.expirationMonth, let year = card.expirationYear else { return "       " }
    return "\(month < 10 ? "0" : "")\(month)/\(year)"
  }

  private func dim(_ text: String) -> String { output.resultStyle(text, .dim) }
  private func bold(_ text: String) -> String { output.resultStyle(text, .bold) }
}
