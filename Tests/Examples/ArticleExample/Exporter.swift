import BrowserTransfer
import Foundation

/// The article's exporting half. Other than there: the import line, the scene, the set of finished kinds, which several tasks
/// touch, in an actor, and one long function cut in three.
struct Exporter: Sendable {
  let browserDataExportManager: BEBrowserDataExportManager
  let browser: SampleBrowser

  init(scene: TransferScene, browser: SampleBrowser) {
    browserDataExportManager = BEBrowserDataExportManager(scene: scene)
    self.browser = browser
  }

  var exportMetadata: BEExportMetadata {
    BEExportMetadata(
      supportingExportToFiles: false,
      bookmarksCount: browser.count,
      readingListCount: browser.count,
      historyCount: browser.count,
      extensionsCount: browser.count
    )
  }

  /// Called when the person asks for it, and, with a token, from within the export data launch activity.
  func export(token: UUID?) async throws {
    let exportOptions = try await browserDataExportManager.requestExport(
      for: exportMetadata,
      token: token
    )
    guard !exportOptions.exportToFiles else { return }
    let exportedData = ExportedData()
    try await browserDataExportManager.exportBrowserData(
      AsyncStream<BEBrowserData> {
        continuation in
        exportBookmarksAndHistory(exportOptions, exportedData, continuation)
        exportReadingListAndExtensions(exportOptions, exportedData, continuation)
      })
  }

  private func exportBookmarksAndHistory(
    _ exportOptions: BEExportOptions, _ exportedData: ExportedData,
    _ continuation: AsyncStream<BEBrowserData>.Continuation
  ) {
    // Create a bookmark data export task.
    if exportOptions.dataTypes.contains(.bookmarks) {
      Task {
        for await bookmark in browser.bookmarks {
          let browserDataBookmark = BEBrowserDataBookmark(
            isFolder: bookmark.isFolder,
            title: bookmark.title,
            identifier: bookmark.id,
            url: bookmark.url,
            parentIdentifier: bookmark.parentID
          )
          continuation.yield(browserDataBookmark)
        }
        if await exportedData.insert(.bookmarks) == exportOptions.dataTypes {
          continuation.finish()
        }
      }
    }
    // Create a browsing history data export task.
    if exportOptions.dataTypes.contains(.history) {
      Task {
        for await visit in browser.historyVisits {
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
        if await exportedData.insert(.history) == exportOptions.dataTypes {
          continuation.finish()
        }
      }
    }
  }

  private func exportReadingListAndExtensions(
    _ exportOptions: BEExportOptions, _ exportedData: ExportedData,
    _ continuation: AsyncStream<BEBrowserData>.Continuation
  ) {
    // Create a reading list data export task.
    if exportOptions.dataTypes.contains(.readingList) {
      Task {
        for await item in browser.readingListItems {
          let readingListItem = BEBrowserDataReadingListItem(
            title: item.title,
            url: item.url,
            dateOfLastVisit: item.lastVisited
          )
          continuation.yield(readingListItem)
        }
        if await exportedData.insert(.readingList) == exportOptions.dataTypes {
          continuation.finish()
        }
      }
    }
    // Create an extensions export task.
    if exportOptions.dataTypes.contains(.extensions) {
      Task {
        for await ext in browser.extensions {
          let browserExtension = BEBrowserDataExtension(
            displayName: ext.name,
            developerName: ext.developer,
            identifier: ext.id,
            storeIdentifier: ext.appStoreID
          )
          continuation.yield(browserExtension)
        }
        if await exportedData.insert(.extensions) == exportOptions.dataTypes {
          continuation.finish()
        }
      }
    }
  }
}

/// The kinds that are finished.
actor ExportedData {
  private var types: BEExportOptions.DataTypes = []
  func insert(_ type: BEExportOptions.DataTypes) -> BEExportOptions.DataTypes {
    types.insert(type)
    return types
  }
}
