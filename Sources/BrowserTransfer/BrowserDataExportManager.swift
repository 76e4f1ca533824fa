public import Foundation
internal import Synchronization
internal import Transfer

/// Exports an app's browsing data to another browser on another device, or on this one.
///
/// First ``requestExport(for:token:)`` shows the sheet and lets the two devices meet; then ``exportBrowserData(_:)`` sends.
/// Both may be called again for a further export, one after another.
public final class BrowserDataExportManager: Sendable {
  private let scene: TransferScene
  private let running = Mutex<RunningExport?>(nil)

  /// For an app's scene.
  public init(scene: TransferScene) { self.scene = scene }
  /// The same: BrowserKit's article names a window here.
  public convenience init(window: TransferScene) { self.init(scene: window) }

  /// The type of the activity with which an app is asked to export.
  public static let userActivityType = "BEBrowserDataExchangeExportActivity"
  /// Where in the activity's `userInfo` the token is.
  public static let exportTokenUserInfoKey = "BEBrowserDataExchangeExportToken"

  /// Shows the sheet; gives what the person chose and the other device's person agreed to.
  ///
  /// - Parameters:
  ///   - metadata: what there is to export.
  ///   - token: nil when the person began it in this app; the export activity's token when another device did, or when it
  ///     goes on after a restart: then nobody is asked again. It works once, whatever becomes of the export.
  /// - Returns: with `exportToFiles`, and then nothing else is to be done here; or with the kinds to yield.
  /// - Throws: ``BrowserDataExchangeError``.
  public func requestExport(for metadata: ExportMetadata, token: UUID?) async throws -> ExportOptions {
    let asked = try token.map { try scene.takeAsked($0) }
    if case .unfinished(let session, let meeting) = asked {
      // The person has chosen before.
      let types = ExportOptions.DataTypes(session.types)
      return try await meet(RunningExport(scene: scene, metadata: metadata, types: types)) {
        $0.start(session, meeting)
      }
    }
    let request = ExportRequest(metadata: metadata, applicationName: scene.applicationName, isAsked: asked != nil)
    guard let choice = await scene.sheet.chooseExport(request) else {
      throw BrowserDataExchangeError(.export, .cancelled, message: "The sheet was dismissed.")
    }
    let meeting: Meeting
    switch choice.destination {
    case .files:
      guard metadata.supportExportToFiles else {
        throw BrowserDataExchangeError(.export, .notReady, message: "This app does not export to files.")
      }
      return ExportOptions(exportToFiles: true, dataTypes: choice.dataTypes)
    case .device(let invitation): meeting = try scene.meeting(invitation, .export)
    case .asked:
      guard case .meeting(let known) = asked else {
        throw BrowserDataExchangeError(.export, .token, message: "No device has asked.")
      }
      meeting = known
    }
    let types = choice.dataTypes.intersection(metadata.availableTypes)
    guard !types.isEmpty else {
      throw BrowserDataExchangeError(.export, .notFound, message: "There is nothing of what was chosen.")
    }
    return try await meet(RunningExport(scene: scene, metadata: metadata, types: types)) { $0.start(meeting) }
  }

  private func meet(_ export: RunningExport, _ start: (RunningExport) -> Void) async throws -> ExportOptions {
    running.withLock { former in
      former?.cancel()
      former = export
    }
    start(export)
    do {
      let granted = try await withTaskCancellationHandler {
        try await export.granted.value()
      } onCancel: {
        export.cancel()
      }
      return ExportOptions(exportToFiles: false, dataTypes: granted)
    } catch {
      throw BrowserDataExchangeError(.export, error)
    }
  }

  /// Sends a stream of objects of the kinds that ``requestExport(for:token:)`` gave, in any order, and waits until the
  /// importer has all of them.
  ///
  /// The stream is asked for its next object only when there is room, so memory stays small with any sequence that makes
  /// its elements when it is asked. An `AsyncStream` with a continuation keeps what was yielded and not yet taken; where that
  /// may be much, use ``exportBrowserData(writing:)``.
  ///
  /// - Throws: what the stream throws, or ``BrowserDataExchangeError`` (`cancelled` when the task is); in each case the
  ///   importer is told.
  @discardableResult
  public func exportBrowserData<Records: AsyncSequence & Sendable>(
    _ browserData: Records
  ) async throws -> TransferSummary where Records.Element: BrowserData {
    try await exportBrowserData { writer in
      for try await data in browserData { try await writer.write(data) }
    }
  }

  /// The same, of objects that `produce` writes, in as many tasks as it likes; the export is complete when it returns.
  @discardableResult
  public func exportBrowserData(
    writing produce: @escaping @Sendable (BrowserDataWriter) async throws -> Void
  ) async throws -> TransferSummary {
    let taken = running.withLock { running in
      defer { running = nil }
      return running
    }
    guard let export = taken else {
      throw BrowserDataExchangeError(.export, .notReady, message: "Call requestExport(for:token:) first, each time.")
    }
    return try await withTaskCancellationHandler {
      try await feed(export, produce)
    } onCancel: {
      export.cancel()
    }
  }

  private func feed(
    _ export: RunningExport, _ produce: @escaping @Sendable (BrowserDataWriter) async throws -> Void
  ) async throws -> TransferSummary {
    let writer = BrowserDataWriter(pipe: export.pipe)
    let fault = Mutex<(any Error)?>(nil)
    let setFault: @Sendable (any Error) -> Void = { error in fault.withLock { $0 = error } }
    do {
      // Whatever ends first decides: a producer that waits for ever must not keep the end of the transfer from the app.
      return try await withThrowingTaskGroup(of: TransferSummary?.self) { group in
        group.addTask {
          do {
            try await produce(writer)
            // A sequence ends without an error when its task is cancelled: that is no end of the data.
            try Task.checkCancellation()
            export.pipe.finish()
          } catch {
            if !(error is CancellationError) { setFault(error) }
            export.cancel()
          }
          return nil
        }
        group.addTask { try await export.outcome.value() }
        defer { group.cancelAll() }
        while let summary = try await group.next() {
          if let summary { return summary }
        }
        throw CancellationError()
      }
    } catch {
      throw fault.withLock { $0 } ?? BrowserDataExchangeError(.export, error)
    }
  }
}
