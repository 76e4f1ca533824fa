internal import Foundation
internal import Resources

/// Runs an import on a container: when it throws, the container is as it was before.
enum ContainerTransaction {
  static func run(
    on container: MigrationDataContainer, _ body: @Sendable () async throws -> Void
  ) async throws {
    let snapshot: ContainerChange.Snapshot
    do { snapshot = try ContainerChange.Snapshot(of: container.containerRootDirectory.path) } catch {
      throw MigrationError(error)
    }
    do {
      try await body()
      try Task.checkCancellation()
    } catch {
      try snapshot.restore()
      throw error
    }
    snapshot.keep()
  }
}
