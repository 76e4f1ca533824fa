import Channel
import Crypto
import Foundation
import Testing

@Suite struct PeerIDTests {
  @Test func `an id reads as it is written, and nothing else is one`() {
    let id = PeerID(bytes: (0..<32).map { UInt8($0 * 8) })
    #expect(id?.description.count == 64)
    #expect(PeerID(id?.description ?? "") == id)
    #expect(PeerID(String(repeating: "g", count: 64)) == nil)
    #expect(PeerID(String(repeating: "0", count: 63)) == nil)
    #expect(PeerID(String(repeating: "０", count: 64)) == nil)
    #expect(PeerID(bytes: [1, 2, 3]) == nil)
  }

  @Test func `pinned peers let in those and nobody else`() throws {
    let (known, stranger) = (PeerID(bytes: [UInt8](repeating: 1, count: 32))!, [UInt8](repeating: 2, count: 32))
    let other = PeerID(bytes: [UInt8](repeating: 3, count: 32))!
    #expect(KnownPeers.pinned([known, other]).accepts(known.bytes))
    #expect(!KnownPeers.pinned([known, other]).accepts(stranger))
    #expect(!KnownPeers.pinned([]).accepts(stranger))
    #expect(!KnownPeers.pinned([known]).accepts([]))
    #expect(KnownPeers.anyone.accepts(stranger))
  }
}

@Suite struct DeviceIdentityTests {
  @Test func `the key is made once, with mode 0600, and is the same at the next start`() throws {
    try inFolder { folder in
      let first = try DeviceIdentity.open(folder: folder)
      #expect(try DeviceIdentity.open(folder: folder).peerID == first.peerID)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [DeviceIdentity.fileName])
      let path = folder + "/" + DeviceIdentity.fileName
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test(arguments: [0o640, 0o604, 0o660, 0o601])
  func `a key file that others may touch is refused`(mode: Int) throws {
    try inFolder { folder in
      _ = try DeviceIdentity.open(folder: folder)
      let path = folder + "/" + DeviceIdentity.fileName
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      #expect(throws: ChannelError.identityFile(.tooOpen)) { try DeviceIdentity.open(folder: folder) }
    }
  }

  @Test(arguments: ["", "nonsense", String(repeating: "x", count: 5_000)])
  func `a damaged key file is refused and left alone`(content: String) throws {
    try inFolder { folder in
      let path = folder + "/" + DeviceIdentity.fileName
      _ = FileManager.default.createFile(
        atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
      #expect(throws: ChannelError.identityFile(.damaged)) { try DeviceIdentity.open(folder: folder) }
      #expect(FileManager.default.contents(atPath: path) == Data(content.utf8))
    }
  }

  @Test func `a link in place of the key, or no folder, is unusable`() throws {
    try inFolder { folder in
      let path = folder + "/" + DeviceIdentity.fileName
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/elsewhere")
      #expect(throws: ChannelError.identityFile(.unusable(errno: ELOOP))) {
        try DeviceIdentity.open(folder: folder)
      }
      #expect(throws: ChannelError.identityFile(.unusable(errno: ENOENT))) {
        try DeviceIdentity.open(folder: folder + "/missing")
      }
    }
  }

  @Test func `many first starts at once end with one identity`() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ids = try await withThrowingTaskGroup(of: PeerID.self) { group in
      for _ in 0..<8 { group.addTask { try await onThread { try DeviceIdentity.open(folder: folder).peerID } } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
  }

  private func makeFolder() throws -> String {
    let folder = NSTemporaryDirectory() + "identity-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }
}
