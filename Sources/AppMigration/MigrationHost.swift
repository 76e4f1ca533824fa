public import Foundation
internal import BrowsingData
internal import Resources
internal import Synchronization
internal import Transfer
internal import Wire

/// Runs migration extensions over a transfer between two devices: what the system does for AppMigrationKit.
///
/// One host exports or imports one app at a time. What is needed to go on after a cut, or after either program ended, lies
/// in its folder.
public final class MigrationHost: Sendable {
  private let folder: String
  private let deviceName: String
  private let person: any MigrationPerson

  /// `folder`: for keys and what must survive; only this user may enter it. `deviceName`: what the other person sees; nil:
  /// this machine's name.
  public init(folder: URL, deviceName: String? = nil, person: any MigrationPerson) {
    self.folder = folder.path
    self.deviceName = deviceName ?? ProcessInfo.processInfo.hostName
    self.person = person
  }

  /// Exports what an extension gives, and waits until the importer has put it in place.
  ///
  /// The extension is called once the two devices have met and both people have agreed; after a resume once more, and what
  /// it appends again and has not changed is known. While it runs its container is taken.
  ///
  /// - Parameters:
  ///   - appExtension: the app's extension.
  ///   - request: what the destination asks for; nil: no options, and Linux.
  ///   - meeting: how the devices meet.
  ///   - patience: how long the extension may be silent before it is given up as hung.
  /// - Throws: what the extension throws, `CancellationError` when the task is cancelled, or ``MigrationError``; the importer
  ///   is told and keeps its container as it was. After `interrupted` and `noSpace` it can be gone on with.
  @discardableResult
  public func export<Extension: ResourcesExportingWithOptions>(
    _ appExtension: Extension, request: MigrationRequestWithOptions<Extension.OptionsType>? = nil,
    over meeting: MigrationMeeting, patience: Duration = .seconds(60)
  ) async throws -> MigrationReport {
    let container = appExtension.appContainer
    let hold = try take(container)
    defer { hold.release() }
    let size = try await appExtension.resourcesSizeEstimate
    let request = request ?? MigrationRequestWithOptions(destinationPlatform: .linux)
    let offer = MigrationOffer(
      bundleIdentifier: container.bundleIdentifier, version: appExtension.resourcesVersion, sizeEstimate: size)
    let list = ResourceList()
    let run = MigrationRun(person: person, offer: offer)
    let feeding = ExtensionRun(list: list, patience: patience) { archiver in
      try await appExtension.exportResources(to: archiver, request: request)
    } failed: {
      run.stop.cancel()
    }
    let export = ResourceExport(
      list: list,
      note: ResourcesNote(
        application: offer.bundleIdentifier, version: offer.version, platform: MigrationPlatform.linux.rawValue,
        isCompressible: appExtension.resourcesCompressible),
      size: Int64(max(0, size)), start: { feeding.start() }, abandon: { feeding.cancel() })
    do {
      return try await session(run) { [self] in
        let session = try ExportSession(
          try setting(run), reopen: { _ in throw CancellationError() }, explain: { TransferError(cause: $0) })
        let outcome = try session.run(try meeting.transfer(), types: [], resources: export)
        return MigrationReport(outcome.report)
      }
    } catch {
      throw feeding.fault ?? run.failure(error)
    }
  }

  /// Imports what another device exports, all of it or nothing.
  ///
  /// Everything arrives in a folder beside the container first. Then the extension takes it from there; what it throws, or
  /// what else goes wrong, leaves the container as it was before. Either way the app's ``MigrationStatus`` says so once.
  ///
  /// - Throws: what the extension throws, `CancellationError` when the task is cancelled, or ``MigrationError``; the exporter
  ///   is told. After `interrupted`, `noSpace` and `inUse` it can be gone on with, and the status says nothing yet.
  @discardableResult
  public func `import`<Extension: ResourcesImporting>(
    into appExtension: Extension, over meeting: MigrationMeeting
  ) async throws -> MigrationReport {
    let container = appExtension.appContainer
    let hold = try take(container)
    defer { hold.release() }
    let run = MigrationRun(person: person, offer: nil)
    let fault = Mutex<(any Error)?>(nil)
    let note: @Sendable (any Error) -> Void = { error in fault.withLock { $0 = error } }
    let destination = ResourceImport(destination: container.containerRootDirectory.path) { staging, resources in
      let files = URL(fileURLWithPath: staging.treePath, isDirectory: true)
      let request = ResourcesImportRequest(resources)
      try blocking {
        do {
          try await ContainerTransaction.run(on: container) {
            try await run.watching(appExtension) {
              try await appExtension.importResources(at: files, request: request)
            }
          }
        } catch {
          note(error)
          // To the other device it is as if the person had said no: trying again would not help.
          throw CancellationError()
        }
      }
      var figures = ContainerChange.Figures()
      figures.added = staging.counts.taken
      return figures
    }
    do {
      let report = try await session(run) { [self] in
        let session = try ImportSession(try setting(run))
        return MigrationReport(try session.run(try meeting.transfer(), resources: destination).report)
      }
      try? container.setImportStatus(.success)
      return report
    } catch {
      let failure: any Error = fault.withLock { $0 } ?? run.failure(error)
      if run.hasBegun, (failure as? MigrationError)?.isResumable != true {
        try? container.setImportStatus(.failure(failure))
      }
      throw failure
    }
  }

  private func take(_ container: MigrationDataContainer) throws -> ContainerChange.Hold {
    do { return try ContainerChange.Hold(of: container.containerRootDirectory.path) } catch {
      throw MigrationError(error)
    }
  }

  private func setting(_ run: MigrationRun) throws -> SessionSetting {
    try SessionSetting(
      guestIn: folder, name: deviceName, software: "AppMigration (org.wherry)", person: run, stop: run.stop)
  }

  /// Runs a session on a thread of its own; when the task is cancelled it ends on both sides.
  private func session(
    _ run: MigrationRun, _ body: @escaping @Sendable () throws -> MigrationReport
  ) async throws -> MigrationReport {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
      }
    } onCancel: {
      run.cancel()
    }
  }
}

/// Runs asynchronous work from a thread that runs no tasks.
private func blocking(_ work: @escaping @Sendable () async throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  let result = Mutex<Result<Void, any Error>>(.success(()))
  let keep: @Sendable (any Error) -> Void = { error in result.withLock { $0 = .failure(error) } }
  Task {
    do { try await work() } catch { keep(error) }
    done.signal()
  }
  done.wait()
  try result.withLock { $0 }.get()
}

extension MigrationError {
  /// Whether it can be gone on with from here.
  fileprivate var isResumable: Bool { code == .interrupted || code == .noSpace || code == .inUse }
}

extension MigrationMeeting {
  fileprivate func transfer() throws -> Meeting {
    switch self {
    case .show(let listen): try .showing(listen: listen)
    case .answer(let code, let at): try .answering(code, at: at)
    case .resume(let at, let listen): try .resuming(at: at, listen: listen)
    }
  }
}

extension MigrationReport {
  fileprivate init(_ report: ApplyReport) {
    let figures = report[.resources]
    files = figures.added + figures.changed + figures.unchanged
    skipped = report.remarks.filter { $0.kind == .skipped }.map(\.reason)
  }
}

extension ResourcesImportRequest {
  init(_ note: ResourcesNote) {
    self.init(
      sourceAppIdentifier: MigrationAppIdentifier(
        storeIdentifier: .none, bundleIdentifier: note.application, platform: MigrationPlatform(note.platform)),
      sourceVersion: note.version)
  }
}
