import BrowsingData
import Formats
import Glibc

extension FuzzTarget {
  /// Safari's files and archives.
  static let safari: [FuzzTarget] = [.safariHistory, .safariCards, .safariExtensions, .archive]

  /// A history file, whole and in chunks of seven bytes: both must say the same.
  static let safariHistory = FuzzTarget(name: "safari-history") { bytes in
    let whole = try visits(MemoryInput(bytes))
    require(try visits(MemoryInput(bytes, chunk: 7)) == whole, "in small chunks is the same as whole")
    for visit in whole {
      require(visit.visitedAt.isPlausible && visit.visitCount >= 1 && !visit.url.isEmpty, "a visit is whole")
    }
  }

  /// A file of cards.
  static let safariCards = FuzzTarget(name: "safari-cards") { bytes in
    try SafariPaymentCards(input: MemoryInput(bytes)).read(.cards) { batch in
      guard case .cards(let cards) = batch else { return }
      for card in cards { require(!card.number.isEmpty, "a card has a number") }
    }
  }

  /// A file of extensions.
  static let safariExtensions = FuzzTarget(name: "safari-extensions") { bytes in
    try SafariExtensions(input: MemoryInput(bytes)).read(.extensions) { _ in }
  }

  /// An archive, read to its end.
  static let archive = FuzzTarget(name: "archive") { bytes in
    let path = "/tmp/wherry-fuzz-\(getpid()).zip"
    let file = try AtomicFile(path)
    try file.write(bytes)
    try file.finish()
    defer { unlink(path) }
    try FileSource.open(path).read(.all) { _ in }
  }

  private static func visits(_ input: MemoryInput) throws -> [HistoryVisit] {
    var found: [HistoryVisit] = []
    try SafariHistory(input: input).read(.history) { batch in
      if case .history(let visits) = batch { found += visits }
    }
    return found
  }
}
