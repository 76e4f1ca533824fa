public import Foundation
internal import Synchronization
internal import Transfer

/// Where transfers of an app are at home: how the app calls itself, its sheet, and its handlers of activities. It stands
/// where BrowserKit wants a window or a scene. An app makes one and keeps it.
public final class TransferScene: Sendable {
  /// The app's identifier, such as `org.example.browser`; goes with every record that it exports.
  public let applicationIdentifier: String
  /// The app's name as a person knows it.
  public let applicationName: String
  /// What asks and tells the person.
  public let sheet: any TransferSheet
  let deviceName: String
  let folder: String

  private struct State {
    var handlers: [String: @Sendable (TransferActivity) -> Void] = [:]
    /// Exports that the app was called for, by token.
    var asked: [UUID: Asked] = [:]
    /// The imports of this program, by token.
    var imports: [UUID: RunningImport] = [:]
    /// The ones among them that the app has not taken yet.
    var waiting: Set<UUID> = []
  }

  /// What the app was called for.
  enum Asked {
    /// Another device's person wants to import.
    case meeting(Meeting)
    /// An export goes on.
    case unfinished(UnfinishedSession, Meeting)
  }
  private let state = Mutex(State())

  /// `deviceName`: what the other device's person sees; nil: this machine's name. `folder`: where what is on its way
  /// lies, encrypted or not as that file system is, in folders that only this user may enter and that are gone afterwards;
  /// a program that was ended finds there what it goes on with (``unfinishedTransfers()``). nil: a folder of the
  /// identifier's name below the user's folder for state (XDG_STATE_HOME).
  public init(
    applicationIdentifier: String, applicationName: String, sheet: any TransferSheet, deviceName: String? = nil,
    folder: URL? = nil
  ) {
    self.applicationIdentifier = applicationIdentifier
    self.applicationName = applicationName
    self.sheet = sheet
    self.deviceName = deviceName ?? ProcessInfo.processInfo.hostName
    self.folder = folder?.path ?? TransferScene.standardFolder(of: applicationIdentifier)
  }

  private static func standardFolder(of identifier: String) -> String {
    let chosen = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let name = String(identifier.map { $0 == "/" || $0 == "\0" ? "-" : $0 }.drop { $0 == "." })
    return (chosen ?? NSHomeDirectory() + "/.local/state") + "/" + (name.isEmpty ? "app" : name) + "/transfers"
  }

  // MARK: - Activities

  /// Registers what the app does when it is called; a second handler of a type takes the first one's place. An app that has
  /// none for a type cannot be called for it.
  public func onContinueTransferActivity(
    _ activityType: String, perform action: @escaping @Sendable (TransferActivity) -> Void
  ) {
    state.withLock { $0.handlers[activityType] = action }
  }

  /// Calls the app as if it had been started for it, whether it runs already or not: with the export activity when another
  /// device's person wants to import from here, with the import activity when one wants to export to here. Returns when
  /// the handler has been called.
  public func open(_ invitation: TransferInvitation, for activityType: String) async throws {
    switch activityType {
    case BrowserDataExportManager.userActivityType:
      let meeting = try meeting(invitation, .export)
      let token = UUID()
      state.withLock { $0.asked[token] = .meeting(meeting) }
      try call(TransferActivity(activityType: activityType, token: token), .export)
    case BrowserDataImportManager.userActivityType:
      try await startImport(invitation)
    case _:
      throw BrowserDataExchangeError(.unknown, .notReady, message: "There is no such activity.")
    }
  }

  private func call(_ activity: TransferActivity, _ code: BrowserDataExchangeError.Code) throws {
    guard let handler = state.withLock({ $0.handlers[activity.activityType] }) else { throw notRegistered(code) }
    handler(activity)
  }

  private func notRegistered(_ code: BrowserDataExchangeError.Code) -> BrowserDataExchangeError {
    BrowserDataExchangeError(code, .notReady, message: "The app has no handler for this activity.")
  }

  // MARK: - For the managers

  /// What an export activity's token stands for. It works once.
  func takeAsked(_ token: UUID) throws -> Asked {
    guard let asked = state.withLock({ $0.asked.removeValue(forKey: token) }) else { throw used(.export) }
    return asked
  }

  /// Meets the exporter and, when its person has agreed, calls the app with the import activity.
  func startImport(_ invitation: TransferInvitation) async throws {
    try requireHandler(of: BrowserDataImportManager.userActivityType, .import)
    try await deliver(RunningImport(scene: self, meeting: try meeting(invitation, .import)))
  }

  private func requireHandler(of type: String, _ code: BrowserDataExchangeError.Code) throws {
    guard state.withLock({ $0.handlers[type] != nil }) else { throw notRegistered(code) }
  }

  private func deliver(_ running: RunningImport) async throws {
    let token: UUID
    do {
      token = try await withTaskCancellationHandler {
        try await running.granted.value()
      } onCancel: {
        running.cancel()
      }
    } catch {
      throw BrowserDataExchangeError(.import, error)
    }
    state.withLock { state in
      state.imports[token] = running
      state.waiting.insert(token)
    }
    try call(TransferActivity(activityType: BrowserDataImportManager.userActivityType, token: token), .import)
  }

  /// The import that a token stands for. It works once.
  func takeImport(_ token: UUID) throws -> RunningImport {
    let running = state.withLock { $0.waiting.remove(token) == nil ? nil : $0.imports[token] }
    guard let running else { throw used(.import) }
    return running
  }

  /// The import that a token stands for, taken or not.
  func runningImport(_ token: UUID) throws -> RunningImport {
    guard let running = state.withLock({ $0.imports[token] }) else { throw used(.import) }
    return running
  }

  /// Calls the app for a transfer that was ended in the middle.
  func goOn(with session: UnfinishedSession, _ token: UUID, at: [String], listen: [String]) async throws {
    let code: BrowserDataExchangeError.Code = session.isExport ? .export : .import
    let type = UnfinishedTransfer.activityType(of: session)
    try requireHandler(of: type, code)
    let meeting: Meeting
    do { meeting = try .resuming(session, at: at, listen: listen) } catch {
      throw BrowserDataExchangeError(code, error)
    }
    guard session.isExport else {
      return try await deliver(RunningImport(scene: self, of: session, meeting: meeting))
    }
    state.withLock { $0.asked[token] = .unfinished(session, meeting) }
    try call(TransferActivity(activityType: type, token: token), code)
  }

  /// What an import has brought so far.
  func summary(_ token: UUID) -> TransferSummary? { state.withLock { $0.imports[token] }?.summary }

  func used(_ code: BrowserDataExchangeError.Code) -> BrowserDataExchangeError {
    BrowserDataExchangeError(code, .token, message: "This token is unknown here, or has been used.")
  }

  func meeting(
    _ invitation: TransferInvitation, _ code: BrowserDataExchangeError.Code
  ) throws -> Meeting {
    do {
      switch invitation {
      case .show(let listen): return try .showing(listen: listen)
      case .answer(let digits, let at): return try .answering(digits, at: at)
      }
    } catch {
      throw BrowserDataExchangeError(code, error)
    }
  }

  /// What both roles of a session need.
  func setting(_ home: GuestHome, person: any TransferPerson, stop: StopSignal) -> SessionSetting {
    SessionSetting(
      home: home.home, name: deviceName,
      software: Source.software(identifier: applicationIdentifier, name: applicationName), person: person, stop: stop)
  }
}
