public import Foundation
internal import BrowsingData
internal import Resources
internal import Synchronization
internal import Wire

/// Calls an extension as a migration would, without another device: for an app's tests.
///
/// ```swift
/// let tester = try await AppMigrationTester(platform: .android, appExtension: NotesMigration())
/// let exported = try await tester.exportController.exportResources(request: nil)
/// try await tester.importController.importResources(from: exported.extractedResourcesURL)
/// ```
public actor AppMigrationTester {
  /// What an export would say of itself, and what it took.
  public struct DeviceToDeviceExportProperties: Hashable, Sendable {
    /// The extension's own estimate, in bytes.
    public let sizeEstimate: Int
    /// Bytes of all files.
    public let uncompressedBytes: Int
    /// Bytes that they take on the wire; nil when the extension says that compressing is not worth it.
    public let compressedBytes: Int?
    /// The version of the form of the files.
    public let version: String
  }

  /// What an export gave.
  public struct ResourcesExportResult: Hashable, Sendable {
    /// A folder with everything as an importer would get it. It is the caller's to remove.
    public let extractedResourcesURL: URL
    /// What it said of itself, and what it took.
    public let exportProperties: DeviceToDeviceExportProperties
  }

  /// Calls the extension's export.
  public nonisolated let exportController: AppExportController
  /// Calls the extension's import.
  public nonisolated let importController: AppImportController

  /// For an extension, and the platform at the other end.
  public init(platform: MigrationPlatform, appExtension: any AppMigrationExtension) async throws {
    exportController = AppExportController(platform: platform, appExtension: appExtension)
    importController = AppImportController(platform: platform, appExtension: appExtension)
  }

  /// Calls an extension's export.
  public final class AppExportController: Sendable {
    private let platform: MigrationPlatform
    private let appExtension: any AppMigrationExtension

    init(platform: MigrationPlatform, appExtension: any AppMigrationExtension) {
      self.platform = platform
      self.appExtension = appExtension
    }

    /// Exports into a folder. Throws what the extension throws.
    public func exportResources(
      request: MigrationRequest?, progress: Progress? = nil
    ) async throws -> ResourcesExportResult {
      try await exportAny(request, progress)
    }

    /// The same, for an extension with options.
    public func exportResources<SupportedOptions>(
      request: MigrationRequestWithOptions<SupportedOptions>? = nil, progress: Progress? = nil
    ) async throws -> ResourcesExportResult
    where
      SupportedOptions: CaseIterable, SupportedOptions: Hashable, SupportedOptions: RawRepresentable,
      SupportedOptions: Sendable, SupportedOptions.RawValue == String
    {
      try await exportAny(request, progress)
    }

    private func exportAny(_ request: Any?, _ progress: Progress?) async throws -> ResourcesExportResult {
      guard let exporting = appExtension as? any ResourcesExportingWithOptions else {
        throw MigrationError(.incompatible, "The extension does not export.")
      }
      return try await export(exporting, request, progress)
    }

    private func export<Extension: ResourcesExportingWithOptions>(
      _ exporting: Extension, _ request: Any?, _ progress: Progress?
    ) async throws -> ResourcesExportResult {
      let request =
        request as? MigrationRequestWithOptions<Extension.OptionsType>
        ?? MigrationRequestWithOptions(destinationPlatform: platform)
      let size = try await exporting.resourcesSizeEstimate
      progress?.totalUnitCount = Int64(size)
      let list = ResourceList()
      let archiver = ResourcesArchiver(list, Heartbeat())
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migration-\(UUID().uuidString)")
      let pump = ResourcePump(list, into: folder.path, isCompressible: exporting.resourcesCompressible, progress)
      do {
        async let moved = pump.run()
        do {
          try await exporting.exportResources(to: archiver, request: request)
          list.close()
        } catch {
          pump.stop()
          throw error
        }
        let bytes = try await moved
        return ResourcesExportResult(
          extractedResourcesURL: folder,
          exportProperties: DeviceToDeviceExportProperties(
            sizeEstimate: size, uncompressedBytes: Int(clamping: list.bytes),
            compressedBytes: exporting.resourcesCompressible ? bytes : nil,
            version: exporting.resourcesVersion))
      } catch {
        try? FileManager.default.removeItem(at: folder)
        throw error
      }
    }
  }

  /// Calls an extension's import.
  public final class AppImportController: Sendable {
    private let platform: MigrationPlatform
    private let appExtension: any AppMigrationExtension

    init(platform: MigrationPlatform, appExtension: any AppMigrationExtension) {
      self.platform = platform
      self.appExtension = appExtension
    }

    /// Imports from a folder. What the extension throws leaves the container as it was, and is thrown on.
    public func importResources(
      from extractedResourceURL: URL, importRequest: ResourcesImportRequest? = nil, progress: Progress? = nil
    ) async throws {
      guard let importing = appExtension as? any ResourcesImporting else {
        throw MigrationError(.incompatible, "The extension does not import.")
      }
      let version = (appExtension as? any ResourcesExportingWithOptions)?.resourcesVersion ?? "1"
      let request =
        importRequest
        ?? ResourcesImportRequest(
          sourceAppIdentifier: MigrationAppIdentifier(
            storeIdentifier: .none, bundleIdentifier: importing.appContainer.bundleIdentifier, platform: platform),
          sourceVersion: version)
      progress?.addChild(importing.resourcesImportProgress, withPendingUnitCount: progress?.totalUnitCount ?? 1)
      let hold: ContainerChange.Hold
      do { hold = try ContainerChange.Hold(of: importing.appContainer.containerRootDirectory.path) } catch {
        throw MigrationError(error)
      }
      defer { hold.release() }
      try await ContainerTransaction.run(on: importing.appContainer) {
        try await importing.importResources(at: extractedResourceURL, request: request)
      }
    }

    /// Makes the app's next start one after an import that ended so.
    public func registerImportCompletion(with status: MigrationStatus) async throws {
      try appExtension.appContainer.setImportStatus(status)
    }
  }
}

/// Moves a list's files into a folder as a transfer would.
private final class ResourcePump: Sendable {
  private let list: ResourceList
  private let folder: String
  private let isCompressible: Bool
  private let progress: Progress?
  private let stopped = StopFlag()

  init(_ list: ResourceList, into folder: String, isCompressible: Bool, _ progress: Progress?) {
    self.list = list
    self.folder = folder
    self.isCompressible = isCompressible
    self.progress = progress
  }

  func stop() { stopped.set() }

  /// Returns once the list is complete: how many bytes went over the wire.
  func run() async throws -> Int {
    let staging: ResourceStaging
    do { staging = try ResourceStaging(destination: folder, token: "test") } catch { throw MigrationError(error) }
    defer { staging.discard() }
    let reader = ResourceReader(list)
    let encoder = MessageEncoder()
    var bytes = 0
    while !stopped.isSet {
      let isComplete = list.isComplete
      guard let batch = try reader.batch(after: staging.cursor), case .resources(let pieces) = batch.content else {
        if isComplete { break }
        try await Task.sleep(for: .milliseconds(2))
        continue
      }
      bytes += try encoder.encode(.batch(Batch(number: 1, changes: batch)), compresses: isCompressible).count
      _ = try staging.apply(pieces, from: batch.first)
      progress?.completedUnitCount = min(progress?.totalUnitCount ?? 0, staging.cursor)
    }
    if stopped.isSet { throw CancellationError() }
    _ = try ContainerChange.overlay(staging.treePath, onto: folder)
    return bytes
  }
}

private final class StopFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}
