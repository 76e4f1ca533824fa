import AppMigration
import ChannelTestSupport
import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MigrationTests {
  private let hosts = TwoHosts()

  private func app(_ name: String, _ trouble: Notes.Trouble = .none) throws -> Notes {
    try Notes(hosts.folder.file(name), trouble: trouble)
  }

  @Test func `an app's files arrive, with their version, and success is said once`() async throws {
    let old = try app("old"), new = try app("new")
    try old.write(300)
    #expect(new.appContainer.importStatus == nil)
    let (sent, received) = try await hosts.migrate(old, new)
    #expect(try received.get().files == 300)
    #expect(try sent.get().files == 300)
    #expect(new.notes == old.notes)
    #expect(new.importRequest?.sourceVersion == "2")
    #expect(new.importRequest?.sourceAppIdentifier.bundleIdentifier == "org.example.notes")
    #expect(new.importRequest?.sourceAppIdentifier.platform == .linux)
    guard case .success = new.appContainer.importStatus else {
      Issue.record("no success")
      return
    }
    new.appContainer.clearImportStatus()
    #expect(new.appContainer.importStatus == nil)
    #expect(!old.appContainer.isInUse && !new.appContainer.isInUse)
    // Nothing of the way is left beside the two containers.
    let left = try FileManager.default.contentsOfDirectory(atPath: hosts.folder.path).sorted()
    #expect(left == ["new", "new-home", "old", "old-home"])
  }

  @Test func `an error of the importing extension leaves its container as it was, and is said once`() async throws {
    let old = try app("old"), new = try app("new", .importing)
    try old.write(10)
    try new.write(1, size: 77)
    let before = new.notes
    let (sent, received) = try await hosts.migrate(old, new)
    #expect(throws: Notes.Broken.self) { try received.get() }
    #expect(throws: MigrationError(.declined, "")) { try sent.get() }
    #expect(new.notes == before)
    guard case .failure(let error) = new.appContainer.importStatus else {
      Issue.record("no failure")
      return
    }
    #expect(error.localizedDescription == "the notes are broken")
    new.appContainer.clearImportStatus()
    #expect(new.appContainer.importStatus == nil)
  }

  @Test func `an error of the exporting extension is its host's, and the importer's container is untouched`()
    async throws
  {
    let old = try app("old", .exporting), new = try app("new")
    // So much that it fails when the importer has some of it.
    try old.write(10, size: 4_000_000)
    try new.write(1, size: 77)
    let before = new.notes
    let (sent, received) = try await hosts.migrate(old, new)
    #expect(throws: Notes.Broken.self) { try sent.get() }
    #expect(throws: MigrationError(.declined, "")) { try received.get() }
    #expect(new.notes == before)
    guard case .failure = new.appContainer.importStatus else {
      Issue.record("no failure")
      return
    }
  }

  @Test func `an extension that stops appending is given up, and its archiver throws cancellation`() async throws {
    let old = try app("old", .hanging), new = try app("new")
    try old.write(10)
    let (sent, received) = try await hosts.migrate(old, new, patience: .milliseconds(300))
    #expect(throws: MigrationError(.hung, "")) { try sent.get() }
    #expect(throws: MigrationError(.declined, "")) { try received.get() }
    #expect(old.thrown is CancellationError)
  }

  @Test func `a no of the exporter's person moves nothing and calls no extension`() async throws {
    let old = try app("old"), new = try app("new")
    try old.write(10)
    let (sent, received) = try await hosts.migrate(old, new, agrees: false)
    #expect(throws: MigrationError(.declined, "")) { try sent.get() }
    #expect(throws: MigrationError(.declined, "")) { try received.get() }
    #expect(old.exports == 0 && new.notes.isEmpty && new.appContainer.importStatus == nil)
  }

  @Test func `a container that is taken is in use`() async throws {
    let old = try app("old")
    let exporting = hosts.host("old", hosts.exporter)
    let waiting = Task { try await exporting.export(old, over: .show(listen: ["127.0.0.1:0"])) }
    _ = try await hosts.exporter.shownCode()
    #expect(old.appContainer.isInUse)
    await #expect(throws: MigrationError(.inUse, "")) {
      try await hosts.host("other", Person()).export(old, over: .show(listen: ["127.0.0.1:0"]))
    }
    waiting.cancel()
    await #expect(throws: MigrationError.self) { try await waiting.value }
    #expect(!old.appContainer.isInUse)
  }

  @Test func `a migration that is cut again and again arrives whole`() async throws {
    let old = try app("old"), new = try app("new")
    try old.write(400, size: 3_000)
    let exporting = hosts.host("old", hosts.exporter)
    let sent = Task { try await exporting.export(old, over: .show(listen: ["127.0.0.1:0"])) }
    let (code, address) = try await hosts.exporter.shownCode()
    let proxy = try CuttingProxy(to: address, cutAfter: [14_000, 20_000, 26_000])
    _ = try await hosts.host("new", hosts.importer).import(into: new, over: .answer(code: code, at: [proxy.address]))
    #expect(try await sent.value.files == 400)
    #expect(proxy.cuts > 0)
    #expect(new.notes == old.notes)
  }
}
