import BrowserTransfer
import Foundation

/// Where an import goes: a line on standard output for each object, at once. What is printed is stored.
@MainActor final class ImportedData {
  var manager: BEBrowserDataImportManager?
  var token: UUID?
  private var count = 0
  /// Stops after so many objects; until a file is there, or for ever.
  private let hold: (after: Int, until: String?)?
  private let (ends, ended) = AsyncStream<(any Error)?>.makeStream()

  init(hold: (after: Int, until: String?)?) { self.hold = hold }

  func createFolder(id: String, title: String, parentID: String?) async {
    await add("folder \(id) in \(parentID ?? "-")")
  }
  func createBookmark(id: String, title: String, url: URL?, parentID: String?) async {
    await add("bookmark \(id) \(url?.absoluteString ?? "-") in \(parentID ?? "-")")
  }
  func addVisit(url: URL, title: String?, date: Date, visitCount: Int, loadedSuccessfully: Bool) async {
    await add("visit \(url.absoluteString) \(Int(date.timeIntervalSince1970)) \(visitCount)")
  }
  func addItem(title: String, url: URL, dateAdded: Date?) async { await add("item \(url.absoluteString)") }
  func suggestInstallation(name: String, developer: String, appStoreID: String) async {
    await add("extension \(name) \(appStoreID)")
  }

  private func add(_ line: String) async {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
    count += 1
    if count % 100 == 0, let token { try? manager?.noteStored(token: token) }
    guard let hold, count == hold.after else { return }
    FileHandle.standardError.write(Data("Holding.\n".utf8))
    while !(hold.until.map { FileManager.default.fileExists(atPath: $0) } ?? false) {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// An activity has come to its end.
  func end(_ error: (any Error)?) { ended.yield(error) }

  /// Waits for that.
  func wait() async throws {
    for await error in ends {
      if let error { throw error }
      return
    }
  }
}
