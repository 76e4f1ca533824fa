import BrowsingData
import Foundation
import Testing

@testable import Wire

/// The bytes in Vectors/ are the protocol: what is written there is read and written here, both ways.
@Suite struct VectorTests {
  @Test(arguments: [
    ("messages", VectorValues.messages), ("batches", VectorValues.batches), ("sync", VectorValues.syncBatches),
    ("resources", VectorValues.resources),
  ])
  func `every vector is read and written byte for byte`(
    _ file: String, _ values: [(name: String, message: Message)]
  ) throws {
    let vectors = try VectorTests.vectors(file)
    #expect(vectors.map(\.name) == values.map(\.name))
    for (vector, value) in zip(vectors, values) {
      var decoder = MessageDecoder(isAuthenticated: true)
      decoder.feed(vector.bytes)
      #expect(try decoder.next() == value.message, "\(vector.name)")
      let frame = Frame(type: value.message.number, payload: try MessageCodec.encode(value.message))
      #expect(hexadecimal(try frame.encoded()) == hexadecimal(vector.bytes), "\(vector.name)")
    }
  }

  @Test func `a compressed frame is read`() throws {
    let vectors = try VectorTests.vectors("compressed")
    let vector = try #require(vectors.first)
    var decoder = MessageDecoder(isAuthenticated: true)
    decoder.feed(vector.bytes)
    #expect(try decoder.next() == VectorValues.batches[6].message)
  }

  @Test func `every refused vector is refused with its code`() throws {
    for vector in try VectorTests.vectors("refused") {
      var decoder = MessageDecoder(isAuthenticated: true)
      decoder.feed(vector.bytes)
      let error = #expect(throws: WireError.self, "\(vector.name)") { try decoder.next() }
      #expect(vector.name.hasPrefix("\(error?.code.rawValue ?? 0) "), "\(vector.name)")
    }
  }

  @Test func `every message and every log has a vector`() throws {
    let all = VectorValues.messages + VectorValues.batches + VectorValues.syncBatches
    #expect(
      Set(all.map(\.message.number)) == [
        1, 2, 3, 4, 6, 7, 8, 10, 12, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 40,
      ])
    let logs = (VectorValues.batches + VectorValues.resources).compactMap { value -> ChangeLog? in
      guard case .batch(let batch) = value.message else { return nil }
      return batch.changes.log
    }
    #expect(Set(logs) == Set(ChangeLog.logs(of: .all.union(.resources))))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
  func `a second decoder reads the same words`() throws {
    let folder = try #require(Bundle.module.url(forResource: "Vectors", withExtension: nil))
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    python.currentDirectoryURL = folder
    python.arguments = ["dissect.py", "messages.txt", "batches.txt", "sync.txt", "compressed.txt", "resources.txt"]
    python.standardOutput = FileHandle.nullDevice
    try python.run()
    python.waitUntilExit()
    #expect(python.terminationStatus == 0)
  }

  /// The vectors of a file: `== name`, then lines of hexadecimal digits, each with what it means after a semicolon.
  static func vectors(_ file: String) throws -> [(name: String, bytes: [UInt8])] {
    let url = try #require(Bundle.module.url(forResource: "Vectors/\(file)", withExtension: "txt"))
    var result: [(name: String, bytes: [UInt8])] = []
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("== ") {
        result.append((String(line.dropFirst(3)), []))
      } else if !line.hasPrefix("#"), let last = result.indices.last {
        let digits = line.prefix { $0 != ";" }.filter { $0 != " " }
        for start in stride(from: 0, to: digits.count, by: 2) {
          let byte = digits.dropFirst(start).prefix(2)
          result[last].bytes.append(try #require(UInt8(byte, radix: 16)))
        }
      }
    }
    return result
  }
}
