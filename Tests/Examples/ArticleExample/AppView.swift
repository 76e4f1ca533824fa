import BrowserTransfer
import Foundation

/// The code of BrowserKit's article, *Transferring browsing data to another browser*, in its own form: the two halves of a
/// browser that exports and imports. Other than there are the import line, the scene in place of a window, and what does not
/// compile there: a variable that is called `extension`. What its `// ...` leave out is written out.
@MainActor final class AppView {
  private let browserDataImportManager: BEBrowserDataImportManager
  private let browserDataExportManager: BEBrowserDataExportManager
  let browser: SampleBrowser
  let store: ImportedData

  init(scene: TransferScene, browser: SampleBrowser, store: ImportedData) {
    browserDataImportManager = BEBrowserDataImportManager(scene: scene)
    browserDataExportManager = BEBrowserDataExportManager(window: scene)
    self.browser = browser
    self.store = store
    store.manager = browserDataImportManager
    scene
      .onContinueUserActivity(BEBrowserDataImportManager.userActivityType) { userActivity in
        // Respond to the launch request.
        guard let token = userActivity.userInfo?[BEBrowserDataImportManager.importTokenUserInfoKey] as? UUID else {
          return
        }
        Task {
          // Import browser data.
          await self.handleImportRequest(with: token)
        }
      }
      .onContinueUserActivity(BEBrowserDataExportManager.userActivityType) { userActivity in
        // Respond to the launch request.
        guard let token = userActivity.userInfo?[BEBrowserDataExportManager.exportTokenUserInfoKey] as? UUID else {
          return
        }
        Task {
          // Export browser data.
          await self.handleExportRequest(with: token)
        }
      }
  }

  // MARK: - Exporting

  var exportMetadata: BEExportMetadata {
    BEExportMetadata(
      supportingExportToFiles: false,
      bookmarksCount: self.bookmarksCount,
      readingListCount: self.readingListCount,
      historyCount: self.historyCount,
      extensionsCount: self.extensionsCount
    )
  }

  /// The person asks for an export.
  func startExport() async throws {
    let exportOptions = try await browserDataExportManager.requestExport(
      for: exportMetadata,
      token: nil
    )
    // Continue the export using the exportOptions result.
    try await exportBrowserData(exportOptions)
  }

  /// Called from within the export data launch activity.
  func handleExportRequest(with token: UUID) async {
    do {
      // Raise the sheet to enable a person to configure the export.
      let exportOptions = try await browserDataExportManager.requestExport(
        for: exportMetadata,
        token: token
      )
      // Export the data according to the person's selected exportOptions.dataTypes.
      try await exportBrowserData(exportOptions)
      store.end(nil)
    } catch {
      store.end(error)
    }
  }

  private func exportBrowserData(_ exportOptions: BEExportOptions) async throws {
    try await browserDataExportManager.exportBrowserData(
      AsyncStream<BEBrowserData> {
        continuation in
        var exportedData: BEExportOptions.DataTypes = []
        // Create a bookmark data export task.
        if exportOptions.dataTypes.contains(.bookmarks) {
          Task {
            for await bookmark in self.bookmarks {
              let browserDataBookmark = BEBrowserDataBookmark(
                isFolder: bookmark.isFolder,
                title: bookmark.title,
                identifier: bookmark.id,
                url: bookmark.url,
                parentIdentifier: bookmark.parentID
              )
              continuation.yield(browserDataBookmark)
            }
            exportedData.insert(.bookmarks)
            if exportedData == exportOptions.dataTypes {
              continuation.finish()
            }
          }
        }
        // Create a browsing history data export task.
        if exportOptions.dataTypes.contains(.history) {
          Task {
            for await visit in self.historyVisits {
              let historyVisit = BEBrowserDataHistoryVisit(
                url: visit.url,
                dateOfLastVisit: visit.date,
                title: visit.title,
                loadedSuccessfully: visit.didLoad,
                httpGet: visit.wasHTTPGet,
                redirectSourceURL: visit.redirectSource,
                redirectSourceDateOfVisit: visit.redirectSourceDate,
                redirectDestinationURL: visit.redirectDestination,
                redirectDestinationDateOfVisit: visit.redirectDestinationDate,
                visitCount: visit.count
              )
              continuation.yield(historyVisit)
            }
            exportedData.insert(.history)
            if exportedData == exportOptions.dataTypes {
              continuation.finish()
            }
          }
        }
        // Create a reading list data export task.
        if exportOptions.dataTypes.contains(.readingList) {
          Task {
            for await item in self.readingListItems {
              let readingListItem = BEBrowserDataReadingListItem(
                title: item.title,
                url: item.url,
                dateOfLastVisit: item.lastVisited
              )
              continuation.yield(readingListItem)
            }
            exportedData.insert(.readingList)
            if exportedData == exportOptions.dataTypes {
              continuation.finish()
            }
          }
        }
        // Create an extensions export task.
        if exportOptions.dataTypes.contains(.extensions) {
          Task {
            for await ext in self.extensions {
              let browserExtension = BEBrowserDataExtension(
                displayName: ext.name,
                developerName: ext.developer,
                identifier: ext.id,
                storeIdentifier: ext.appStoreID
              )
              continuation.yield(browserExtension)
            }
            exportedData.insert(.extensions)
            if exportedData == exportOptions.dataTypes {
              continuation.finish()
            }
          }
        }
      })
  }

  // MARK: - Importing

  /// The person asks for an import.
  func startImport() async throws {
    let importMetadata = BEImportMetadata(
      supportForImportFromFiles: false
    )
    let importOptions = try await browserDataImportManager.requestImport(for: importMetadata)
    // Continue the import using the importOptions result.
    precondition(!importOptions.importFromFiles)
  }

  /// Called from within the import data launch activity.
  func handleImportRequest(with token: UUID) async {
    do {
      store.token = token
      for try await browserData in browserDataImportManager.importBrowserData(token: token) {
        switch browserData {
        case let bookmark as BEBrowserDataBookmark:
          await self.importBookmark(bookmark)
        case let historyVisit as BEBrowserDataHistoryVisit:
          await self.importHistoryVisit(historyVisit)
        case let readingListItem as BEBrowserDataReadingListItem:
          await self.importReadingListItem(readingListItem)
        case let `extension` as BEBrowserDataExtension:
          await self.importExtension(`extension`)
        default:
          break
        }
      }
      store.end(nil)
    } catch {
      store.end(error)
    }
  }

  /// Import a bookmark on behalf of the request.
  func importBookmark(_ bookmark: BEBrowserDataBookmark) async {
    if bookmark.isFolder {
      await bookmarkStore.createFolder(
        id: bookmark.identifier,
        title: bookmark.title,
        parentID: bookmark.parentIdentifier
      )
    } else {
      await bookmarkStore.createBookmark(
        id: bookmark.identifier,
        title: bookmark.title,
        url: bookmark.url,
        parentID: bookmark.parentIdentifier
      )
    }
  }

  /// Import page visit history.
  func importHistoryVisit(_ visit: BEBrowserDataHistoryVisit) async {
    await historyStore.addVisit(
      url: visit.url,
      title: visit.title,
      date: visit.dateOfLastVisit,
      visitCount: visit.visitCount,
      loadedSuccessfully: visit.loadedSuccessfully
    )
  }

  /// Add items to the person's reading list.
  func importReadingListItem(_ item: BEBrowserDataReadingListItem) async {
    await readingListStore.addItem(
      title: item.title,
      url: item.url,
      dateAdded: item.dateOfLastVisit
    )
  }

  /// Prompt the person to install an imported browser extension.
  func importExtension(_ extension: BEBrowserDataExtension) async {
    if let storeID = `extension`.storeIdentifier {
      await extensionStore.suggestInstallation(
        name: `extension`.displayName,
        developer: `extension`.developerName,
        appStoreID: storeID
      )
    }
  }
}
