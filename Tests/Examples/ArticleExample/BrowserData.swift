import Foundation

// What the article takes for granted: a browser's own data, as asynchronous sequences, and the stores that an import fills.

struct StoredBookmark: Sendable {
  var id: String
  var isFolder: Bool
  var title: String
  var url: URL?
  var parentID: String?
}

struct StoredVisit: Sendable {
  var url: URL
  var date: Date
  var title: String?
  var didLoad = true
  var wasHTTPGet = true
  var redirectSource: URL?
  var redirectSourceDate: Date?
  var redirectDestination: URL?
  var redirectDestinationDate: Date?
  var count = 1
}

struct StoredItem: Sendable {
  var title: String
  var url: URL
  var lastVisited: Date?
}

struct StoredExtension: Sendable {
  var id: String
  var name: String
  var developer: String
  var appStoreID: String?
}

/// Some data, the same for the same count.
struct SampleBrowser: Sendable {
  var count: Int

  private func sequence<Element: Sendable>(_ make: @escaping @Sendable (Int) -> Element) -> AsyncStream<Element> {
    AsyncStream { continuation in
      for number in 0..<count { continuation.yield(make(number)) }
      continuation.finish()
    }
  }

  static func link(_ text: String) -> URL { URL(string: "https://example.test/" + text) ?? URL(fileURLWithPath: "/") }
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  var bookmarks: AsyncStream<StoredBookmark> {
    sequence { number in
      number % 10 == 0
        ? StoredBookmark(id: "folder-\(number)", isFolder: true, title: "Folder \(number)")
        : StoredBookmark(
          id: "bookmark-\(number)", isFolder: false, title: "Bookmark \(number)", url: Self.link("\(number)"),
          parentID: "folder-\(number - number % 10)")
    }
  }

  var historyVisits: AsyncStream<StoredVisit> {
    sequence { number in
      var visit = StoredVisit(
        url: Self.link("page/\(number)"), date: Self.start + Double(number) * 60, title: "Page \(number)")
      if number % 10 == 1 {
        visit.redirectSource = Self.link("page/\(number - 1)")
        visit.redirectSourceDate = Self.start + Double(number - 1) * 60
      }
      return visit
    }
  }

  var readingListItems: AsyncStream<StoredItem> {
    sequence { StoredItem(title: "Article \($0)", url: Self.link("read/\($0)"), lastVisited: nil) }
  }

  var extensions: AsyncStream<StoredExtension> {
    sequence {
      StoredExtension(id: "extension-\($0)@test", name: "Extension \($0)", developer: "Developer", appStoreID: "\($0)")
    }
  }
}

// What the article calls `self.bookmarks` and so on.
extension AppView {
  var bookmarksCount: Int { browser.count }
  var readingListCount: Int { browser.count }
  var historyCount: Int { browser.count }
  var extensionsCount: Int { browser.count }
  var bookmarks: AsyncStream<StoredBookmark> { browser.bookmarks }
  var historyVisits: AsyncStream<StoredVisit> { browser.historyVisits }
  var readingListItems: AsyncStream<StoredItem> { browser.readingListItems }
  var extensions: AsyncStream<StoredExtension> { browser.extensions }
  var bookmarkStore: ImportedData { store }
  var historyStore: ImportedData { store }
  var readingListStore: ImportedData { store }
  var extensionStore: ImportedData { store }
}
