internal import BrowsingData
internal import Channel
internal import Foundation
internal import Resources
internal import Synchronization
internal import Transfer

/// The person of one migration, as its session knows it.
final class MigrationRun: TransferPerson {
  let stop = StopSignal()
  private let person: any MigrationPerson
  private let offer: MigrationOffer?
  private let begun = Mutex(false)
  private let cancelled = Mutex(false)

  /// `offer`: what is exported; nil at an importer.
  init(person: any MigrationPerson, offer: MigrationOffer?) {
    self.person = person
    self.offer = offer
  }

  /// Whether both people had agreed.
  var hasBegun: Bool { begun.withLock { $0 } }

  /// The app's task is cancelled: the migration ends on both sides.
  func cancel() {
    cancelled.withLock { $0 = true }
    stop.cancel()
  }

  /// What the app is told of an error of the session.
  func failure(_ error: any Error) -> any Error {
    cancelled.withLock { $0 } ? CancellationError() : MigrationError(error)
  }

  func hear(_ event: TransferEvent) {
    switch event {
    case .listening(let addresses): person.show(.listening(addresses))
    case .code(let code, let uri): person.show(.code(MigrationCode(digits: code.shown, uri: uri)))
    case .connected(let device, let resumed):
      // A resumed session has been agreed to.
      if resumed { begun.withLock { $0 = true } }
      person.show(.connected(deviceName: device.name, again: resumed))
    case .chosen: begun.withLock { $0 = true }
    case .progress(let type, let done, let total, let bytes):
      if type == .resources { person.show(.progress(files: done, total: total, bytes: bytes)) }
    case .interrupted(let reason, _): person.show(.interrupted(reason))
    case .warning(let text): person.show(.warning(text))
    case .offer: return
    }
  }

  /// Tells the person how far an importing extension is while it works, and at its end.
  func watching(_ appExtension: some ResourcesImporting, _ work: () async throws -> Void) async throws {
    let told = Mutex(-1.0)
    let tell: @Sendable () -> Void = { [person] in
      let fraction = appExtension.resourcesImportProgress.fractionCompleted
      let isNews = told.withLock { told in
        defer { told = fraction }
        return told != fraction
      }
      if isNews { person.show(.importing(fractionCompleted: fraction)) }
    }
    let watch = Task {
      while true {
        tell()
        try await Task.sleep(for: .milliseconds(200))
      }
    }
    defer { watch.cancel() }
    try await work()
    tell()
  }

  /// Files only: whoever offers records beside them keeps these.
  func choose(from offer: [DataType: Int], of device: TransferDevice) -> DataTypes? { [] }

  func grants(
    _ types: DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: TransferDevice
  ) -> DataTypes? {
    guard types.contains(.resources), let offer else { return nil }
    let done = DispatchSemaphore(value: 0)
    let answer = Mutex(false)
    let keep: @Sendable (Bool) -> Void = { value in answer.withLock { $0 = value } }
    let person = person
    Task {
      keep(await person.agrees(toExport: offer, to: device.name))
      done.signal()
    }
    done.wait()
    return answer.withLock { $0 } ? .resources : nil
  }
}

/// An exporting extension while it runs.
final class ExtensionRun: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var fault: (any Error)?
    var isOver = false
  }
  private let state = Mutex(State())
  private let list: ResourceList
  private let patience: Duration
  private let body: @Sendable (ResourcesArchiver) async throws -> Void
  private let failed: @Sendable () -> Void

  init(
    list: ResourceList, patience: Duration, _ body: @escaping @Sendable (ResourcesArchiver) async throws -> Void,
    failed: @escaping @Sendable () -> Void
  ) {
    self.list = list
    self.patience = patience
    self.body = body
    self.failed = failed
  }

  /// Why it failed, if it did by itself.
  var fault: (any Error)? { state.withLock { $0.fault } }

  /// Calls the extension.
  func start() {
    let task = Task { [self] in
      do {
        try await run()
        list.close()
      } catch {
        fail(error)
      }
    }
    let isLate = state.withLock { state in
      state.task = task
      return state.isOver
    }
    if isLate { task.cancel() }
  }

  /// The migration has ended.
  func cancel() {
    let task = state.withLock { state in
      state.isOver = true
      return state.task
    }
    task?.cancel()
  }

  private func fail(_ error: any Error) {
    let isNews = state.withLock { state in
      if state.isOver { return false }
      state.fault = error is ResourceError ? MigrationError(error) : error
      state.isOver = true
      return true
    }
    if isNews { failed() }
  }

  /// The extension against its watchdog. One that ignores its cancellation is left behind.
  private func run() async throws {
    let heartbeat = Heartbeat()
    let archiver = ResourcesArchiver(list, heartbeat)
    let (ends, end) = AsyncThrowingStream<Void, any Error>.makeStream()
    let work = Task { [body] in
      do {
        try await body(archiver)
        end.finish()
      } catch {
        end.finish(throwing: error)
      }
    }
    let watch = Task { [patience] in
      try await heartbeat.wait(for: patience)
      end.finish(throwing: ResourceError.hung)
    }
    defer {
      work.cancel()
      watch.cancel()
    }
    for try await _ in ends {}
    try Task.checkCancellation()
  }
}
