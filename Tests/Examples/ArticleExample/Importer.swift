import BrowserTransfer
import Foundation

/// The article's importing half. Other than there: the import line, the scene, and a variable named `extension`, which Swift
/// does not allow.
struct Importer: Sendable {
  let browserDataImportManager: BEBrowserDataImportManager
  let store: ImportedData

  init(scene: TransferScene, store: ImportedData) {
    browserDataImportManager = BEBrowserDataImportManager(scene: scene)
    self.store = store
  }

  /// Called when the person asks for it.
  func requestImport() async throws {
    let importMetadata = BEImportMetadata(
      supportForImportFromFiles: false
    )
    let importOptions = try await browserDataImportManager.requestImport(for: importMetadata)
    // What comes is handled by the launch activity.
    precondition(!importOptions.importFromFiles)
  }

  /// Called from within the import data launch activity.
  func handleImportRequest(with token: UUID) async throws {
    for try await browserData in browserDataImportManager.importBrowserData(token: token) {
      switch browserData {
      case let bookmark as BEBrowserDataBookmark:
        await self.importBookmark(bookmark)
      case let historyVisit as BEBrowserDataHistoryVisit:
        await self.importHistoryVisit(historyVisit)
      case let readingListItem as BEBrowserDataReadingListItem:
        await self.importReadingListItem(readingListItem)
      case let browserExtension as BEBrowserDataExtension:
        await self.importExtension(browserExtension)
      default:
        break
      }
    }
  }

  /// Import a bookmark on behalf of the request.
  func importBookmark(_ bookmark: BEBrowserDataBookmark) async {
    if bookmark.isFolder {
      await store.createFolder(
        id: bookmark.identifier,
        title: bookmark.title,
        parentID: bookmark.parentIdentifier
      )
    } else {
      await store.createBookmark(
        id: bookmark.identifier,
        title: bookmark.title,
        url: bookmark.url,
        parentID: bookmark.parentIdentifier
      )
    }
  }

  /// Import page visit history.
  func importHistoryVisit(_ visit: BEBrowserDataHistoryVisit) async {
    await store.addVisit(
      url: visit.url,
      title: visit.title,
      date: visit.dateOfLastVisit,
      visitCount: visit.visitCount,
      loadedSuccessfully: visit.loadedSuccessfully
    )
  }

  /// Add items to the person's reading list.
  func importReadingListItem(_ item: BEBrowserDataReadingListItem) async {
    await store.addItem(
      title: item.title,
      url: item.url,
      dateAdded: item.dateOfLastVisit
    )
  }

  /// Prompt the person to install an imported browser extension.
  func importExtension(_ browserExtension: BEBrowserDataExtension) async {
    if let storeID = browserExtension.storeIdentifier {
      await store.suggestInstallation(
        name: browserExtension.displayName,
        developer: browserExtension.developerName,
        appStoreID: storeID
      )
    }
  }
}
