import Formats
import Glibc
import Testing

@Suite struct AtomicFileTests {
  let folder = TemporaryFolder()

  @Test func `a finished file is whole and for its owner only`() throws {
    let large = [UInt8](repeating: 7, count: 600_000)
    let file = try AtomicFile(folder["out"])
    try file.write("head")
    try file.write(large)
    try file.write("tail")
    #expect(folder.names == [])
    try file.finish()
    #expect(folder.read("out") == Array("head".utf8) + large + Array("tail".utf8))
    #expect(folder.names == ["out"])
    var status = stat()
    #expect(stat(folder["out"], &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `an abandoned file leaves what was there`() throws {
    folder.write([1, 2, 3], to: "out")
    let file = try AtomicFile(folder["out"])
    try file.write("new")
    file.abandon()
    #expect(folder.read("out") == [1, 2, 3])
    #expect(folder.names == ["out"])
  }

  @Test func `a file let go leaves nothing`() throws {
    do {
      let file = try AtomicFile(folder["out"])
      try file.write("new")
    }
    #expect(folder.names == [])
  }

  @Test func `a finished file takes the place of an older one`() throws {
    folder.write([1, 2, 3], to: "out")
    let file = try AtomicFile(folder["out"])
    try file.write("new")
    try file.finish()
    #expect(folder.read("out") == Array("new".utf8))
    #expect(folder.names == ["out"])
  }

  @Test func `a folder that is not there is an error`() {
    #expect(throws: FormatError.self) { try AtomicFile(folder["none/out"]) }
    folder.write([1], to: "plain")
    #expect(throws: FormatError.self) { try AtomicFile(folder["plain/out"]) }
    #expect(folder.names == ["plain"])
  }

  @Test func `a folder is not replaced, and nothing stays beside it`() throws {
    let file = try AtomicFile(folder.path)
    try file.write("new")
    #expect(throws: FormatError.self) { try file.finish() }
    #expect(folder.names == [])
  }
}
