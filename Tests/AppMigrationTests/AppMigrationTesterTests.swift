import AppMigration
import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct AppMigrationTesterTests {
  private let folder = TemporaryDirectory()

  @Test func `an export comes out as an importer would get it, with its properties`() async throws {
    let old = try Notes(folder.file("old")), new = try Notes(folder.file("new"))
    try old.write(20, size: 500)
    let tester = try await AppMigrationTester(platform: .android, appExtension: old)
    let progress = Progress(totalUnitCount: 1)
    let result = try await tester.exportController.exportResources(request: nil, progress: progress)
    defer { try? FileManager.default.removeItem(at: result.extractedResourcesURL) }
    #expect(result.exportProperties.version == "2")
    #expect(result.exportProperties.uncompressedBytes == result.exportProperties.sizeEstimate)
    #expect(try #require(result.exportProperties.compressedBytes) < result.exportProperties.uncompressedBytes)
    #expect(progress.totalUnitCount == Int64(result.exportProperties.sizeEstimate))
    let importing = try await AppMigrationTester(platform: .android, appExtension: new)
    try await importing.importController.importResources(from: result.extractedResourcesURL)
    #expect(new.notes == old.notes)
    #expect(new.importRequest?.sourceAppIdentifier.platform == .android)
  }

  @Test func `what an extension throws is thrown on, and the container is as it was`() async throws {
    let old = try Notes(folder.file("old"), trouble: .exporting)
    try old.write(10)
    let exporting = try await AppMigrationTester(platform: .android, appExtension: old)
    await #expect(throws: Notes.Broken.self) {
      try await exporting.exportController.exportResources(request: nil)
    }
    let source = try Notes(folder.file("source"))
    try source.write(10)
    let tester = try await AppMigrationTester(platform: .android, appExtension: source)
    let result = try await tester.exportController.exportResources(request: nil)
    let new = try Notes(folder.file("new"), trouble: .importing)
    let importing = try await AppMigrationTester(platform: .android, appExtension: new)
    await #expect(throws: Notes.Broken.self) {
      try await importing.importController.importResources(from: result.extractedResourcesURL)
    }
    #expect(new.notes.isEmpty)
    try? FileManager.default.removeItem(at: result.extractedResourcesURL)
  }

  @Test func `an app's first start after an import can be played`() async throws {
    let app = try Notes(folder.file("app"))
    MigrationDataContainer.main = app.appContainer
    let tester = try await AppMigrationTester(platform: .android, appExtension: app)
    try await tester.importController.registerImportCompletion(with: .failure(Notes.Broken()))
    guard case .failure(let error) = MigrationStatus.importStatus else {
      Issue.record("no failure")
      return
    }
    #expect(error.localizedDescription == "the notes are broken")
    try await tester.importController.registerImportCompletion(with: .success)
    guard case .success = MigrationStatus.importStatus else {
      Issue.record("no success")
      return
    }
    MigrationStatus.clearImportStatus()
    #expect(MigrationStatus.importStatus == nil)
  }

  @Test func `items that are not there or lead outside are refused by the archiver`() async throws {
    final class Odd: ResourcesExporting {
      let appContainer: MigrationDataContainer
      let path: String?
      init(_ folder: String, _ path: String?) {
        appContainer = MigrationDataContainer(
          bundleIdentifier: "odd", containerRootDirectory: URL(fileURLWithPath: folder))
        self.path = path
      }
      var resourcesSizeEstimate: Int { get async throws { 0 } }
      var resourcesVersion: String { "1" }
      var resourcesCompressible: Bool { false }
      func exportResources(to archiver: sending ResourcesArchiver, request: MigrationRequest) async throws {
        let name = path == nil ? "gone" : "there"
        try await archiver.appendItem(
          at: appContainer.containerRootDirectory.appendingPathComponent(name), pathInArchive: path)
      }
    }
    mkdir(folder.file("odd"), 0o700)
    _ = FileManager.default.createFile(atPath: folder.file("odd/there"), contents: Data())
    for path in [nil, "/a", "../a", "a/../../b", ""] {
      let tester = try await AppMigrationTester(platform: .linux, appExtension: Odd(folder.file("odd"), path))
      await #expect(throws: MigrationError(.badItem, "")) {
        try await tester.exportController.exportResources(request: nil)
      }
    }
  }

  @Test func `an extension with options gets the ones that are asked for`() async throws {
    enum Option: String, CaseIterable, Sendable { case photos, videos }
    final class Choosing: ResourcesExportingWithOptions {
      let appContainer: MigrationDataContainer
      init(_ folder: String) {
        appContainer = MigrationDataContainer(
          bundleIdentifier: "choosing", containerRootDirectory: URL(fileURLWithPath: folder))
      }
      var resourcesSizeEstimate: Int { get async throws { 0 } }
      var resourcesVersion: String { "1" }
      var resourcesCompressible: Bool { false }
      func exportResources(
        to archiver: sending ResourcesArchiver, request: MigrationRequestWithOptions<Option>
      ) async throws {
        for option in request.options.keys {
          try await archiver.appendItem(
            at: appContainer.containerRootDirectory.appendingPathComponent(option.rawValue))
        }
      }
    }
    mkdir(folder.file("c"), 0o700)
    for name in ["photos", "videos"] {
      _ = FileManager.default.createFile(atPath: folder.file("c/" + name), contents: Data())
    }
    let tester = try await AppMigrationTester(platform: .android, appExtension: Choosing(folder.file("c")))
    let request = MigrationRequestWithOptions<Option>(destinationPlatform: .android, options: [.photos: Data()])
    let result = try await tester.exportController.exportResources(request: request)
    #expect(try FileManager.default.contentsOfDirectory(atPath: result.extractedResourcesURL.path) == ["photos"])
    #expect(result.exportProperties.compressedBytes == nil)
    try FileManager.default.removeItem(at: result.extractedResourcesURL)
  }
}
