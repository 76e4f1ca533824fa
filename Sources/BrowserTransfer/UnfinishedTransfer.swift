public import Foundation
internal import Transfer

/// A transfer of this app that has not come to its end: the program was ended in the middle, or a disk was full. It can be
/// gone on with for seven days.
public struct UnfinishedTransfer: Hashable, Sendable {
  /// The activity that the app is called with when it goes on: that of an export or of an import.
  public let activityType: String
  /// Its token, the same as before.
  public let token: UUID
  /// The device at the other end.
  public let device: TransferDevice
  /// The kinds that were agreed on; before that, what was offered.
  public let dataTypes: ExportOptions.DataTypes
  /// When the two devices last heard of each other.
  public let lastContact: Date

  init?(_ session: UnfinishedSession) {
    guard let token = UUID(session.token) else { return nil }
    self.token = token
    activityType = UnfinishedTransfer.activityType(of: session)
    device = TransferDevice(session.device)
    dataTypes = ExportOptions.DataTypes(session.types)
    lastContact = Date(session.lastContact)
  }

  static func activityType(of session: UnfinishedSession) -> String {
    session.isExport ? BrowserDataExportManager.userActivityType : BrowserDataImportManager.userActivityType
  }
}

extension TransferScene {
  /// The transfers of this app that were ended in the middle and that no program goes on with now, for its start. What
  /// can no longer be gone on with is removed from the disk.
  public func unfinishedTransfers() -> [UnfinishedTransfer] {
    UnfinishedSession.all(below: folder).compactMap { UnfinishedTransfer($0) }
  }

  /// Goes on with a transfer: calls the app's handler of its activity with the same token as before, as if the app had been
  /// started for it. The other device needs to do nothing: it is waiting, or does the same.
  ///
  /// - An **import** gives from its stream what the app has not noted as stored (``BrowserDataImportManager/noteStored(token:)``);
  ///   without such a note everything once more. What had arrived does not travel again. This returns when the devices have
  ///   met again and the handler has been called; at once, when everything had arrived.
  /// - An **export** asks the app for everything once more, since the app alone knows its data: `requestExport(for:token:)`
  ///   gives what was agreed on, without a sheet, and what the app yields and the importer has does not travel again.
  ///
  /// - Parameters:
  ///   - transfer: one of ``unfinishedTransfers()``.
  ///   - at: where the other device listens, `HOST:PORT`, if not where it did.
  ///   - listen: where this one listens, `HOST:PORT`, if not where it did.
  /// - Throws: ``BrowserDataExchangeError``: `notReady` when there is no handler, `token` when the transfer is over or
  ///   going on already, `interrupted` when the other device does not come.
  public func resume(_ transfer: UnfinishedTransfer, at: [String] = [], listen: [String] = []) async throws {
    let isExport = transfer.activityType == BrowserDataExportManager.userActivityType
    guard let session = session(of: transfer) else { throw used(isExport ? .export : .import) }
    try await goOn(with: session, transfer.token, at: at, listen: listen)
  }

  /// Gives a transfer up: what is left of it here is removed. The other device is not told and forgets it after its time.
  public func discard(_ transfer: UnfinishedTransfer) { session(of: transfer)?.remove() }

  private func session(of transfer: UnfinishedTransfer) -> UnfinishedSession? {
    UnfinishedSession.all(below: folder).first { UUID($0.token) == transfer.token }
  }
}
