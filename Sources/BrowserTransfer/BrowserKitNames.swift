// BrowserKit's own names, so that code written for it compiles here.

extension TransferScene {
  /// SwiftUI's name of ``onContinueTransferActivity(_:perform:)``, of the scene instead of a view; may be chained as there.
  @discardableResult
  public func onContinueUserActivity(
    _ activityType: String, perform action: @escaping @Sendable (TransferActivity) -> Void
  ) -> TransferScene {
    onContinueTransferActivity(activityType, perform: action)
    return self
  }
}

/// BrowserKit's name of ``BrowserData``.
public typealias BEBrowserData = BrowserData
/// BrowserKit's name of ``BrowserDataBookmark``.
public typealias BEBrowserDataBookmark = BrowserDataBookmark
/// BrowserKit's name of ``BrowserDataHistoryVisit``.
public typealias BEBrowserDataHistoryVisit = BrowserDataHistoryVisit
/// BrowserKit's name of ``BrowserDataReadingListItem``.
public typealias BEBrowserDataReadingListItem = BrowserDataReadingListItem
/// BrowserKit's name of ``BrowserDataExtension``.
public typealias BEBrowserDataExtension = BrowserDataExtension
/// BrowserKit's name of ``BrowserDataExportManager``.
public typealias BEBrowserDataExportManager = BrowserDataExportManager
/// BrowserKit's name of ``BrowserDataImportManager``.
public typealias BEBrowserDataImportManager = BrowserDataImportManager
/// BrowserKit's name of ``ExportMetadata``.
public typealias BEExportMetadata = ExportMetadata
/// BrowserKit's name of ``ExportOptions``.
public typealias BEExportOptions = ExportOptions
/// BrowserKit's name of ``ImportMetadata``.
public typealias BEImportMetadata = ImportMetadata
/// BrowserKit's name of ``ImportOptions``.
public typealias BEImportOptions = ImportOptions
/// BrowserKit's name of ``BrowserDataExchangeError``.
public typealias BEBrowserDataExchangeError = BrowserDataExchangeError
/// BrowserKit's name of ``BrowserDataExchangeError/errorDomain``.
public let BEBrowserDataExchangeErrorDomain = BrowserDataExchangeError.errorDomain
