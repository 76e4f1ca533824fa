public import Foundation

/// Imports browsing data from another browser on another device, or on this one.
///
/// ``requestImport(for:)`` shows the sheet; the data come with the import activity that the app's handler gets
/// (``TransferScene/onContinueTransferActivity(_:perform:)``), in all cases, also when the app runs already.
public final class BrowserDataImportManager: Sendable {
  private let scene: TransferScene

  /// For an app's scene.
  public init(scene: TransferScene) { self.scene = scene }
  /// The same, as the exporter's has it.
  public convenience init(window: TransferScene) { self.init(scene: window) }

  /// The type of the activity with which an app is handed data.
  public static let userActivityType = "BEBrowserDataExchangeImportActivity"
  /// Where in the activity's `userInfo` the token is.
  public static let importTokenUserInfoKey = "BEBrowserDataExchangeImportToken"

  /// Shows the sheet, meets the device that exports, and calls the app's import handler once the exporter's person has
  /// agreed.
  ///
  /// - Parameter metadata: what the app can do.
  /// - Returns: with `importFromFiles` when the person chose files: then no activity follows.
  /// - Throws: ``BrowserDataExchangeError``; `notReady` when the app has no import handler.
  public func requestImport(for metadata: ImportMetadata) async throws -> ImportOptions {
    let request = ImportRequest(metadata: metadata, applicationName: scene.applicationName)
    switch await scene.sheet.chooseImport(request) {
    case nil: throw BrowserDataExchangeError(.import, .cancelled, message: "The sheet was dismissed.")
    case .files:
      guard metadata.supportImportFromFiles else {
        throw BrowserDataExchangeError(.import, .notReady, message: "This app does not import from files.")
      }
      return ImportOptions(importFromFiles: true)
    case .device(let invitation):
      try await scene.startImport(invitation)
      return ImportOptions(importFromFiles: false)
    }
  }

  /// What comes from the other browser, one object after another, while it comes.
  ///
  /// Nothing is fetched ahead of what a few hundred objects take: an app that takes its time makes the exporter wait. When
  /// the loop is left early, or its task cancelled, the transfer ends on both sides.
  ///
  /// - Parameter token: the import activity's. It works once: a second stream of it throws.
  /// - Returns: a stream that ends when everything has come, or throws ``BrowserDataExchangeError``.
  public func importBrowserData(token: UUID) -> AsyncThrowingStream<BrowserData, any Error> {
    do {
      let reader = ImportReader(try scene.takeImport(token))
      return AsyncThrowingStream { try await reader.next() }
    } catch {
      return AsyncThrowingStream { $0.finish(throwing: error) }
    }
  }

  /// Notes that the app has safely stored all that the stream of this token has given it. When the program ends before the
  /// import is complete, and goes on with it afterwards (``TransferScene/resume(_:at:listen:)``), the stream begins there;
  /// without a note, at its beginning.
  ///
  /// - Throws: ``BrowserDataExchangeError`` when it cannot be written down, or the token is not one of this scene's.
  public func noteStored(token: UUID) throws { try scene.runningImport(token).keepMark() }

  /// What an import has brought so far, and what it had to leave out; nil for a token that was never one of this scene's.
  public func summary(token: UUID) -> TransferSummary? { scene.summary(token) }
}

/// One app's hold on an import: when it is let go, the import ends.
private final class ImportReader: Sendable {
  private let running: RunningImport

  init(_ running: RunningImport) { self.running = running }

  deinit { running.cancel() }

  func next() async throws -> BrowserData? {
    try await withTaskCancellationHandler {
      try await running.next()
    } onCancel: {
      running.cancel()
    }
  }
}
