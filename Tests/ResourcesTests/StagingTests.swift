import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Resources

@Suite struct StagingTests {
  private func sample() throws -> Container {
    let container = Container()
    for number in 0..<200 { try container.write("many/\(number % 7)/\(number).txt", "file \(number)") }
    try container.write("large.bin", someBytes(2_000_000, seed: 3))
    try container.write("empty", [])
    try container.write("zeros", [UInt8](repeating: 0, count: 300_000))
    try container.writeSparse("sparse", size: 40_000_000)
    try container.write("odd/na\u{6d}e with spaces, \"quotes\" and \u{1F600}", "odd")
    try container.write("run.sh", Array("#!/bin/sh".utf8), mode: 0o755)
    symlink("../large.bin", container.path + "/many/link")
    mkdir(container.path + "/hollow", 0o755)
    return container
  }

  @Test func `everything arrives as it was, whatever it is cut into`() throws {
    let container = try sample()
    for cuts in [0, 1, 3] {
      let list = try container.list()
      let target = container.folder.file("target-\(cuts)")
      var staging = try ResourceStaging(destination: target, token: "t")
      var reader = ResourceReader(list)
      var batches = 0
      while let batch = try reader.batch(after: staging.cursor) {
        guard case .resources(let pieces) = batch.content else { break }
        _ = try staging.apply(pieces, from: batch.first)
        batches += 1
        if cuts > 0, batches % cuts == 0 {
          // Both programs end and begin again.
          reader = ResourceReader(list)
          staging = try reopened(&staging, target)
        }
      }
      #expect(staging.ending == list.ending())
      let figures = try staging.place { try ContainerChange.overlay($0.treePath, onto: $0.destination) }
      #expect(figures.added == list.count && figures.changed == 0)
      staging.discard()
      #expect(Container.content(of: target) == container.content)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: container.folder.path).allSatisfy { !$0.hasPrefix(".") })
      #expect(access(target + "/run.sh", X_OK) == 0)
    }
  }

  private func reopened(_ staging: inout ResourceStaging, _ target: String) throws -> ResourceStaging {
    // The old one lets its lock go first.
    staging = try ResourceStaging(destination: target + "-other", token: "t")
    staging.discard()
    return try ResourceStaging(destination: target, token: "t")
  }

  @Test func `a hole stays a hole, on the way and on the disk`() throws {
    let container = Container()
    try container.writeSparse("sparse", size: 4 << 30)
    let list = try container.list()
    let staging = try ResourceStaging(destination: container.folder.file("target"), token: "t")
    let reader = ResourceReader(list)
    var bytes = 0
    while let batch = try reader.batch(after: staging.cursor) {
      guard case .resources(let pieces) = batch.content else { break }
      for piece in pieces { if case .bytes(let chunk) = piece { bytes += chunk.count } }
      _ = try staging.apply(pieces, from: batch.first)
    }
    #expect(staging.ending == list.ending())
    #expect(bytes < 1 << 20)
    #expect(ResourceTree.roomTaken(staging.treePath + "/sparse") < 1 << 20)
    #expect(ResourceTree.entry(at: staging.treePath + "/sparse", path: "")?.size == 4 << 30)
  }

  @Test func `a file that changes while it is read comes again whole`() throws {
    let container = Container()
    try container.write("large.bin", someBytes(3_000_000, seed: 5))
    try container.write("z.txt", "last")
    let list = try container.list()
    let staging = try ResourceStaging(destination: container.folder.file("target"), token: "t")
    let reader = ResourceReader(list)
    var batches = 0
    while let batch = try reader.batch(after: staging.cursor) {
      guard case .resources(let pieces) = batch.content else { break }
      _ = try staging.apply(pieces, from: batch.first)
      batches += 1
      if batches == 1 { try container.write("large.bin", someBytes(1_000_000, seed: 6)) }
    }
    #expect(staging.ending == list.ending())
    #expect(staging.counts.taken == 2)
    #expect(Container.content(of: staging.treePath) == container.content)
  }

  @Test(arguments: [
    "/etc/passwd", "../outside", "a/../../outside", "a//b", "./a", "a/.", "", "a\nb", "a/\u{7f}", "a/\u{85}",
    String(repeating: "x", count: 256), Array(repeating: "d", count: 65).joined(separator: "/"),
  ])
  func `a path that is not inside is left out`(_ path: String) throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    let entry = ResourceEntry(path: path, kind: .file, size: 3, modifiedAt: Timestamp(microseconds: 0))
    let pieces: [ResourcePiece] = [.entry(entry), .bytes([1, 2, 3]), .digest([UInt8](repeating: 0, count: 32))]
    let result = try staging.apply(pieces, from: 0)
    #expect(result == (taken: 0, skipped: 1))
    #expect(Container.content(of: staging.treePath).isEmpty)
    #expect(staging.remarks.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".target.wherry-t"])
  }

  @Test(arguments: ["/etc", "../x", "a/../../x", "", "b/../../../x"])
  func `a link that leads outside is left out, and nothing is written through a link`(_ target: String) throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    var link = ResourceEntry(path: "link", kind: .link, modifiedAt: Timestamp(microseconds: 0))
    link.target = target
    var inner = ResourceEntry(path: "good", kind: .link, modifiedAt: Timestamp(microseconds: 0))
    inner.target = "elsewhere"
    let through = ResourceEntry(path: "good/file", kind: .folder, modifiedAt: Timestamp(microseconds: 0))
    let result = try staging.apply([.entry(link), .entry(inner), .entry(through)], from: 0)
    #expect(result == (taken: 1, skipped: 2))
    #expect(Container.content(of: staging.treePath).keys.sorted() == ["good"])
  }

  @Test func `names that differ only in case or form do not take each other's place`() throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    let entries = ["Name", "name", "cafe\u{301}", "caf\u{e9}"].map {
      ResourcePiece.entry(ResourceEntry(path: $0, kind: .folder, modifiedAt: Timestamp(microseconds: 0)))
    }
    #expect(try staging.apply(entries, from: 0) == (taken: 3, skipped: 1))
    #expect(Container.content(of: staging.treePath).keys.sorted() == ["Name", "caf\u{e9}"])
  }

  @Test func `pieces that do not fit are refused, and nothing of their batch stays`() throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    let file = ResourceEntry(path: "a", kind: .file, size: 3, modifiedAt: Timestamp(microseconds: 0))
    let wrong: [[ResourcePiece]] = [
      [.bytes([1])], [.digest([UInt8](repeating: 0, count: 32))], [.entry(file), .bytes([1, 2, 3, 4])],
      [.entry(file), .entry(file)], [.entry(file), .zeros(Int64.max)], [.entry(file), .abandoned(2)],
      [.entry(file), .bytes([1]), .digest([])], [.zeros(0)],
    ]
    for pieces in wrong {
      #expect(throws: ResourceError.malformed) { try staging.apply(pieces, from: 0) }
      #expect(staging.cursor == 0)
    }
    #expect(throws: ResourceError.malformed) { try staging.apply([.entry(file)], from: 1) }
  }

  @Test func `a damaged file is asked for again, three times`() throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    let first = ResourceEntry(path: "first", kind: .folder, modifiedAt: Timestamp(microseconds: 0))
    _ = try staging.apply([.entry(first)], from: 0)
    let file = ResourceEntry(path: "a", kind: .file, size: 1, modifiedAt: Timestamp(microseconds: 0))
    _ = try staging.apply([.entry(file), .bytes([7])], from: 1)
    #expect(throws: ResourceError.damaged) {
      try staging.apply([.digest([UInt8](repeating: 9, count: 32))], from: 3)
    }
    // Back at the beginning of that file.
    #expect(staging.cursor == 1)
    for _ in 0..<2 {
      #expect(throws: ResourceError.damaged) {
        try staging.apply([.entry(file), .bytes([7]), .digest([UInt8](repeating: 9, count: 32))], from: 1)
      }
    }
    // That is no accident any more.
    #expect(throws: ResourceError.garbled) {
      try staging.apply([.entry(file), .bytes([7]), .digest([UInt8](repeating: 9, count: 32))], from: 1)
    }
  }

  @Test func `a file that is larger than files can be is left out, and its zeros cost nothing`() throws {
    let folder = TemporaryDirectory()
    let staging = try ResourceStaging(destination: folder.file("target"), token: "t")
    let file = ResourceEntry(path: "a", kind: .file, size: 1 << 60, modifiedAt: Timestamp(microseconds: 0))
    let pieces: [ResourcePiece] = [.entry(file), .zeros(1 << 60), .digest([UInt8](repeating: 0, count: 32))]
    #expect(try staging.apply(pieces, from: 0) == (taken: 0, skipped: 1))
    #expect(Container.content(of: staging.treePath).isEmpty)
  }

  @Test func `odd names arrive as they are; what is no file, folder or link, or has no name, is left out`() throws {
    let container = Container()
    let names = [
      "-rf", "trailing.", " spaces ", "back\\slash", "quo\"te", "CON", "\u{1F600}\u{200d}x",
      String(repeating: "l", count: 255), "$(echo)", "*?",
    ]
    for name in names { try container.write("odd/" + name, name) }
    try container.write("first", "twice")
    #expect(link(container.path + "/first", container.path + "/second") == 0)
    symlink("loop", container.path + "/loop")
    symlink("/etc/passwd", container.path + "/outside")
    #expect(mkfifo(container.path + "/pipe", 0o600) == 0)
    let nameless = open(container.path + "/odd/" + "x", O_CREAT | O_WRONLY, 0o600)
    close(nameless)
    let raw: [CChar] = Array((container.path + "/odd/").utf8CString.dropLast()) + [-1, -2, 0]
    #expect(rename(container.path + "/odd/x", raw) == 0)
    let list = try container.list()
    let staging = try ResourceStaging(destination: container.folder.file("target"), token: "t")
    let reader = ResourceReader(list)
    while let batch = try reader.batch(after: staging.cursor), case .resources(let pieces) = batch.content {
      _ = try staging.apply(pieces, from: batch.first)
    }
    #expect(staging.ending == list.ending())
    let expected = names.map { "odd/" + $0 } + ["first", "second", "loop"]
    #expect(Set(Container.content(of: staging.treePath).keys) == Set(expected))
    #expect(
      list.remarks.map(\.reason).sorted() == [
        "it is neither file, folder nor link, or cannot be looked at", "it points outside of the container",
        "its name is not UTF-8",
      ])
  }
}
