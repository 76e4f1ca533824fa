import AppMigration
import Foundation

/// An app that keeps pictures, one of them enormous and nearly empty.
struct Gallery: ResourcesExporting, ResourcesImporting {
  let appContainer: MigrationDataContainer
  let resourcesImportProgress = Progress(totalUnitCount: 1)

  init(folder: String) {
    appContainer = MigrationDataContainer(
      bundleIdentifier: "org.wherry.gallery", containerRootDirectory: URL(fileURLWithPath: folder))
  }

  private var pictures: URL { appContainer.documentsDirectory.appendingPathComponent("Pictures") }

  /// Makes the sample.
  func fill(_ count: Int) throws {
    let files = FileManager.default
    for number in 0..<count {
      let folder = pictures.appendingPathComponent("Album \(number % 100)")
      if number < 100 { try files.createDirectory(at: folder, withIntermediateDirectories: true) }
      try write("picture \(number)", to: folder.appendingPathComponent("\(number).txt"))
    }
    for name in [
      "caf\u{e9} \u{1F600}", "a 'quoted' \"name\"", "-dash", "trailing.", String(repeating: "l", count: 250),
    ] {
      try write(name, to: pictures.appendingPathComponent(name))
    }
    try files.createSymbolicLink(
      atPath: pictures.appendingPathComponent("latest").path, withDestinationPath: "Album 0/0.txt")
    let sparse = pictures.appendingPathComponent("panorama.raw")
    _ = files.createFile(atPath: sparse.path, contents: nil)
    let handle = try FileHandle(forWritingTo: sparse)
    try handle.truncate(atOffset: 4 << 30)
    try handle.seek(toOffset: 2 << 30)
    try handle.write(contentsOf: Data("middle".utf8))
    try handle.close()
  }

  /// Without waiting for the disk each time, as `Data` would.
  private func write(_ text: String, to url: URL) throws {
    let file = open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    try handle.write(contentsOf: Data(text.utf8))
  }

  // MARK: - Exporting

  var resourcesSizeEstimate: Int { get async throws { 64 << 20 } }
  var resourcesVersion: String { "1" }
  var resourcesCompressible: Bool { true }

  func exportResources(to archiver: sending ResourcesArchiver, request: MigrationRequest) async throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: pictures.path).sorted() {
      try await archiver.appendItem(at: pictures.appendingPathComponent(name), pathInArchive: "Pictures/" + name)
    }
  }

  // MARK: - Importing

  func importResources(at importedDataURL: URL, request: ResourcesImportRequest) async throws {
    guard request.sourceVersion == "1" else {
      throw MigrationError(.incompatible, "These pictures are of a newer version.")
    }
    try FileManager.default.createDirectory(at: appContainer.documentsDirectory, withIntermediateDirectories: true)
    try? FileManager.default.removeItem(at: pictures)
    try FileManager.default.moveItem(at: importedDataURL.appendingPathComponent("Pictures"), to: pictures)
    resourcesImportProgress.completedUnitCount = 1
  }
}
