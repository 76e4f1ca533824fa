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
    var fractions: [Double] = []
    for case .importing(let fraction) in hosts.importer.shown { fractions.append(fraction) }
    #expect(fractions.last == 1 && fractions == fractions.sorted())
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
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!old.appContainer.isInUse)
  }

  @Test func `a cut in the middle of a large file goes on there`() async throws {
    let old = try app("old"), new = try app("new")
    try old.writeRandom("large", size: 8_000_000)
    let exporting = hosts.host("old", hosts.exporter)
    let sent = Task { try await exporting.export(old, over: .show(listen: ["127.0.0.1:0"])) }
    let (code, address) = try await hosts.exporter.shownCode()
    let proxy = try CuttingProxy(to: address, cutAfter: [Int](repeating: 3_000_000, count: 20))
    _ = try await hosts.host("new", hosts.importer).import(into: new, over: .answer(code: code, at: [proxy.address]))
    #expect(try await sent.value.files == 1)
    // No connection lets the whole file through: had it begun anew each time, it would not have come to its end.
    #expect(hosts.importer.interruptions > 0)
    #expect(new.content(of: "large") == old.content(of: "large"))
  }

  @Test func `while the other side is gone the container is untouched, and cancelling is said once`() async throws {
    let old = try app("old"), new = try app("new")
    try old.writeRandom("large", size: 8_000_000)
    try new.write(1, size: 77)
    let before = new.notes
    let exporting = hosts.host("old", hosts.exporter)
    let sent = Task { try await exporting.export(old, over: .show(listen: ["127.0.0.1:0"])) }
    let (code, address) = try await hosts.exporter.shownCode()
    let proxy = try CuttingProxy(to: address, cutAfter: [3_000_000] + [Int](repeating: 0, count: 1_000))
    let importing = hosts.host("new", hosts.importer)
    let received = Task { try await importing.import(into: new, over: .answer(code: code, at: [proxy.address])) }
    while hosts.importer.interruptions == 0 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(new.notes == before && new.appContainer.importStatus == nil && new.appContainer.isInUse)
    received.cancel()
    await #expect(throws: CancellationError.self) { try await received.value }
    #expect(new.notes == before && !new.appContainer.isInUse)
    guard case .failure = new.appContainer.importStatus else {
      Issue.record("no failure")
      return
    }
    new.appContainer.clearImportStatus()
    sent.cancel()
    await #expect(throws: CancellationError.self) { try await sent.value }
    // Nothing of what had come is left.
    let left = try FileManager.default.contentsOfDirectory(atPath: hosts.folder.path).sorted()
    #expect(left == ["new", "new-home", "old", "old-home"])
  }

  @Test func `cancelling the exporter calls off its extension and the importer`() async throws {
    let old = try app("old", .hanging), new = try app("new")
    try old.write(10)
    let exporting = hosts.host("old", hosts.exporter), importing = hosts.host("new", hosts.importer)
    let sent = Task { try await exporting.export(old, over: .show(listen: ["127.0.0.1:0"])) }
    let (code, address) = try await hosts.exporter.shownCode()
    let received = Task { try await importing.import(into: new, over: .answer(code: code, at: [address])) }
    while old.exports == 0 { try await Task.sleep(for: .milliseconds(20)) }
    sent.cancel()
    await #expect(throws: CancellationError.self) { try await sent.value }
    await #expect(throws: MigrationError(.declined, "")) { try await received.value }
    while old.thrown == nil { try await Task.sleep(for: .milliseconds(20)) }
    #expect(old.thrown is CancellationError && new.notes.isEmpty)
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
