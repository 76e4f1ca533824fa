import AppMigration
import Foundation
import Synchronization
import TestSupport

/// A small app that keeps notes in files, with its migration extension.
final class Notes: ResourcesExporting, ResourcesImporting {
  let appContainer: MigrationDataContainer
  let resourcesImportProgress = Progress(totalUnitCount: 1)
  let version: String
  /// What goes wrong, where.
  let trouble: Trouble
  /// What an import was told.
  private let told = Mutex<ResourcesImportRequest?>(nil)
  private let seen = Mutex<(any Error)?>(nil)
  private let calls = Mutex(0)

  enum Trouble: Sendable {
    case none
    case exporting
    case hanging
    case importing
  }
  struct Broken: Error, LocalizedError { var errorDescription: String? { "the notes are broken" } }

  init(_ folder: String, version: String = "2", trouble: Trouble = .none) throws {
    let root = URL(fileURLWithPath: folder)
    appContainer = MigrationDataContainer(bundleIdentifier: "org.example.notes", containerRootDirectory: root)
    self.version = version
    self.trouble = trouble
    try FileManager.default.createDirectory(at: appContainer.documentsDirectory, withIntermediateDirectories: true)
  }

  /// Writes notes.
  func write(_ count: Int, size: Int = 20) throws {
    for number in 0..<count {
      let text = "note \(number) " + String(repeating: "x", count: max(0, size - 10))
      try Data(text.utf8).write(to: appContainer.documentsDirectory.appendingPathComponent("\(number).txt"))
    }
  }

  /// Writes a note that cannot be made smaller.
  func writeRandom(_ name: String, size: Int) throws {
    var random = SeededGenerator(seed: 11)
    let words = (0..<size / 8).map { _ in random.next() }
    try words.withUnsafeBytes { Data($0) }.write(to: appContainer.documentsDirectory.appendingPathComponent(name))
  }

  /// What a note says.
  func content(of name: String) -> Data? {
    try? Data(contentsOf: appContainer.documentsDirectory.appendingPathComponent(name))
  }

  /// All notes by name.
  var notes: [String: Int] {
    let folder = appContainer.documentsDirectory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, (try? Data(contentsOf: folder.appendingPathComponent($0)))?.count ?? 0) })
  }

  var importRequest: ResourcesImportRequest? { told.withLock { $0 } }
  /// What the archiver threw.
  var thrown: (any Error)? { seen.withLock { $0 } }
  /// How often the export was called.
  var exports: Int { calls.withLock { $0 } }

  // MARK: - Exporting

  var resourcesSizeEstimate: Int { get async throws { notes.values.reduce(0, +) } }
  var resourcesVersion: String { version }
  var resourcesCompressible: Bool { true }

  func exportResources(to archiver: sending ResourcesArchiver, request: MigrationRequest) async throws {
    calls.withLock { $0 += 1 }
    do {
      for (index, name) in notes.keys.sorted().enumerated() {
        if index == 3, trouble == .exporting { throw Broken() }
        if index == 3, trouble == .hanging { try await Task.sleep(for: .seconds(600)) }
        try await archiver.appendItem(
          at: appContainer.documentsDirectory.appendingPathComponent(name), pathInArchive: "notes/\(name)")
      }
    } catch {
      seen.withLock { $0 = error }
      throw error
    }
  }

  // MARK: - Importing

  func importResources(at importedDataURL: URL, request: ResourcesImportRequest) async throws {
    told.withLock { $0 = request }
    let folder = importedDataURL.appendingPathComponent("notes")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let target = appContainer.documentsDirectory.appendingPathComponent(name)
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.moveItem(at: folder.appendingPathComponent(name), to: target)
      if trouble == .importing, notes.count > 2 { throw Broken() }
    }
    resourcesImportProgress.completedUnitCount = 1
  }
}

/// A person who agrees, or not, and remembers what was shown.
final class Person: MigrationPerson {
  private let notices = Mutex<[MigrationNotice]>([])
  private let agrees: Bool
  init(agrees: Bool = true) { self.agrees = agrees }
  func agrees(toExport offer: MigrationOffer, to deviceName: String) async -> Bool { agrees }
  func show(_ notice: MigrationNotice) { notices.withLock { $0.append(notice) } }
  var shown: [MigrationNotice] { notices.withLock { $0 } }

  /// Code and address, once they are shown.
  func shownCode() async throws -> (code: String, address: String) {
    for _ in 0..<3_000 {
      var address: String?
      for notice in shown {
        if case .listening(let addresses) = notice { address = addresses.first }
        if case .code(let code) = notice, let address { return (code.digits, address) }
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Notes.Broken()
  }

  var interruptions: Int { shown.count { if case .interrupted = $0 { true } else { false } } }
}

/// Two devices with a host each.
struct TwoHosts {
  let folder = TemporaryDirectory()
  let exporter = Person()
  let importer = Person()

  func host(_ name: String, _ person: Person) -> MigrationHost {
    MigrationHost(folder: URL(fileURLWithPath: folder.file(name + "-home")), person: person)
  }

  /// Migrates; gives both ends' results.
  func migrate(
    _ old: Notes, _ new: Notes, patience: Duration = .seconds(60), agrees: Bool = true
  ) async throws -> (sent: Result<MigrationReport, any Error>, received: Result<MigrationReport, any Error>) {
    let person = agrees ? exporter : Person(agrees: false)
    let (old, new) = (old, new)
    let exporting = host("old", person), importing = host("new", importer)
    let sent = Task {
      try await exporting.export(old, over: .show(listen: ["127.0.0.1:0"]), patience: patience)
    }
    let (code, address) = try await person.shownCode()
    let received = Task { try await importing.import(into: new, over: .answer(code: code, at: [address])) }
    return (await sent.result, await received.result)
  }
}
