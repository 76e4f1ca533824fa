import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Resources

/// The digests of Tests/WireTests/Vectors/resources.txt, made by another program, are those of real files.
@Suite struct ResourceVectorTests {
  private static let digest = "218425f1b69cd234ae2c06b85ae00d336f5c85a361d824a23bf732198f65224a"
  private static let sum = "a79aea6c52687b27f8406bd0d09b3add"

  private func sample() throws -> Container {
    let container = Container()
    try container.write("chrome/é.css", [1, 2, 3] + [UInt8](repeating: 0, count: 70_000))
    symlink("chrome/é.css", container.path + "/latest")
    mkdir(container.path + "/empty", 0o700)
    return container
  }

  @Test func `an exporter says these digests`() throws {
    let container = try sample()
    let list = try container.list()
    let reader = ResourceReader(list)
    var digests: [String] = []
    var place: Int64 = 0
    while let batch = try reader.batch(after: place), case .resources(let pieces) = batch.content {
      for case .digest(let digest) in pieces { digests.append(hexadecimal(digest)) }
      place = batch.last
    }
    #expect(digests == [Self.digest])
    #expect(Container.content(of: container.path).count == 3)
    #expect(list.ending().count == 3 && list.ending().digest.description == Self.sum)
  }

  @Test func `an importer takes them, and says the same at the end`() throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    let time = Timestamp(microseconds: 1_700_000_000_123_456)
    let file = ResourceEntry(path: "chrome/é.css", kind: .file, size: 70_003, mode: 0o755, modifiedAt: time)
    var link = ResourceEntry(path: "latest", kind: .link, mode: 0o777, modifiedAt: Timestamp(microseconds: -1))
    link.target = "chrome/é.css"
    let hollow = ResourceEntry(path: "empty", kind: .folder, mode: 0o700, modifiedAt: Timestamp(microseconds: 0))
    let changed = ResourceEntry(path: "user.js", kind: .file, size: 4, modifiedAt: time)
    let digest = stride(from: 0, to: 64, by: 2).compactMap { UInt8(Self.digest.dropFirst($0).prefix(2), radix: 16) }
    _ = try staging.apply([.entry(file), .bytes([1, 2, 3])], from: 0)
    #expect(
      try staging.apply([.zeros(70_000), .digest(digest), .entry(link), .entry(hollow)], from: 4) == (
        taken: 3, skipped: 0
      ))
    _ = try staging.apply([.entry(changed), .bytes([120]), .abandoned(4)], from: 70_007)
    #expect(staging.ending.cursor == 70_013 && staging.ending.count == 3)
    #expect(staging.ending.digest.description == Self.sum)
    #expect(ResourceTree.entry(at: staging.treePath + "/user.js", path: "") == nil)
  }
}
