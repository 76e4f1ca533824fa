public import Foundation
internal import Resources
internal import Synchronization

/// Where an app keeps its data.
public struct MigrationDataContainer: Hashable, Sendable {
  /// The app's identifier, such as `org.example.notes`.
  public let bundleIdentifier: String
  /// The folder that holds everything of the app's. It changes as a whole: what lies outside is not looked after.
  public let containerRootDirectory: URL

  /// With both.
  public init(bundleIdentifier: String, containerRootDirectory: URL) {
    self.bundleIdentifier = bundleIdentifier
    self.containerRootDirectory = containerRootDirectory.standardizedFileURL
  }

  /// `Documents` in the root.
  public var documentsDirectory: URL { containerRootDirectory.appendingPathComponent("Documents") }
  /// `Library/Application Support` in the root.
  public var applicationSupportDirectory: URL {
    containerRootDirectory.appendingPathComponent("Library/Application Support")
  }

  private static let chosen = Mutex<MigrationDataContainer?>(nil)

  /// The container of the app that runs: what ``MigrationStatus/importStatus`` is about. An app that keeps its data
  /// elsewhere than in the folder of its own name below the user's data folder (XDG_DATA_HOME) sets it once, at its start.
  public static var main: MigrationDataContainer {
    get { chosen.withLock { $0 } ?? standard }
    set { chosen.withLock { $0 = newValue } }
  }

  private static var standard: MigrationDataContainer {
    let name = ProcessInfo.processInfo.processName
    let environment = ProcessInfo.processInfo.environment
    let data =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() + "/.local/share"
    return MigrationDataContainer(
      bundleIdentifier: name, containerRootDirectory: URL(fileURLWithPath: data + "/" + name))
  }

  /// Whether a migration has the container now: an app that starts should wait until it has not.
  public var isInUse: Bool { ContainerChange.isHeld(containerRootDirectory.path) }

  /// How the last import into it ended; nil when there was none, or when the person has been told.
  public var importStatus: MigrationStatus? { MigrationStatus.read(statusFile) }

  /// The person has been told.
  public func clearImportStatus() { try? FileManager.default.removeItem(at: statusFile) }

  func setImportStatus(_ status: MigrationStatus) throws { try MigrationStatus.write(status, to: statusFile) }

  /// Beside the container: it changes as a whole, and its status must not change with it.
  private var statusFile: URL {
    containerRootDirectory.deletingLastPathComponent()
      .appendingPathComponent(".\(containerRootDirectory.lastPathComponent).migration-status")
  }
}
