public import Foundation

/// Why an app was called: another device wants its data (``BrowserDataExportManager/userActivityType``), or has data for it
/// (``BrowserDataImportManager/userActivityType``). What `NSUserActivity` is to BrowserKit.
public struct TransferActivity: Hashable, Sendable {
  /// Which of the two.
  public let activityType: String
  /// What is to be given back when the data move. It works once.
  public let token: UUID

  /// The token under ``BrowserDataExportManager/exportTokenUserInfoKey`` or
  /// ``BrowserDataImportManager/importTokenUserInfoKey``, as a `UUID`.
  public var userInfo: [AnyHashable: Any]? {
    let isExport = activityType == BrowserDataExportManager.userActivityType
    return [
      isExport ? BrowserDataExportManager.exportTokenUserInfoKey : BrowserDataImportManager.importTokenUserInfoKey:
        token
    ]
  }
}
