import Formats
import Glibc
import Testing

@Suite struct ByteInputTests {
  let folder = TemporaryFolder()
  let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  @Test func `a file gives its bytes, as often as asked`() throws {
    let input = FileInput(folder.write(bytes, to: "in"))
    #expect(input.name == "in")
    #expect(try input.bytes(upTo: bytes.count) == bytes)
    #expect(try input.bytes(upTo: bytes.count) == bytes)
    #expect(try input.prefix(3) == Array(bytes[..<3]))
  }

  @Test func `more bytes than the limit are refused`() {
    #expect(throws: FormatError.self) { try MemoryInput(bytes).bytes(upTo: bytes.count - 1) }
  }

  @Test(arguments: [1, 7, 4096]) func `small chunks make the same whole`(chunk: Int) throws {
    let part = Array(bytes[..<10_000])
    #expect(try MemoryInput(part, chunk: chunk).bytes(upTo: .max - 1) == part)
  }

  @Test func `a file that is not there, a folder and a pipe are told apart`() {
    #expect(throws: FormatError.notFound) { try FileInput(folder["none"]).open() }
    #expect(throws: FormatError.notThisFormat("a plain file")) { try FileInput(folder.path).open() }
    mkfifo(folder["pipe"], 0o600)
    #expect(throws: FormatError.notThisFormat("a plain file")) { try FileInput(folder["pipe"]).open() }
  }
}
