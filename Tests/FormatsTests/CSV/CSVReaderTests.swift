import Foundation
import TestSupport
import Testing

@testable import Formats

/// Rows, their trouble and their lines.
private func read(_ bytes: [UInt8], chunk: Int = .max) throws -> [(
  row: [String], trouble: CSVReader.Trouble, line: Int
)] {
  var reader = try CSVReader.open(StreamedText(MemoryInput(bytes, chunk: chunk)))
  var found: [(row: [String], trouble: CSVReader.Trouble, line: Int)] = []
  while try reader.next() {
    var row: [String] = []
    let values = reader.row
    for index in 0..<values.count { row.append(values.text(index)) }
    found.append((row, reader.trouble, reader.line()))
  }
  return found
}

private func rows(_ text: String) throws -> [[String]] { try read(Array(text.utf8)).map(\.row) }

private func trouble(_ text: String) throws -> CSVReader.Trouble {
  try read(Array(text.utf8)).reduce(into: []) { $0.formUnion($1.trouble) }
}

@Suite struct CSVReaderTests {
  @Test(arguments: ["\n", "\r\n", "\r"])
  func `every line end ends a row`(end: String) throws {
    let text = "a,b\(end)\(end)1,\"2\(end)3\"\(end),\(end)4,"
    #expect(try rows(text) == [["a", "b"], ["1", "2\(end)3"], ["4", ""]])
    #expect(try trouble(text).isEmpty)
  }

  @Test func `quotes hold commas, line ends and doubled quotes`() throws {
    #expect(
      try rows("\"a,1\",\"x \"\"y\"\", z\",\"\"\n\"\"\"\",\"\r\n\"\n") == [["a,1", "x \"y\", z", ""], ["\"", "\r\n"]])
    #expect(try trouble("\"a\"\"b\"\n").isEmpty)
  }

  @Test func `a quote inside a value is a quote`() throws {
    #expect(try rows("a\"b,\" c\", \"d\"\n") == [["a\"b", " c", " \"d\""]])
    #expect(try trouble("a\"b,x").isEmpty)
  }

  @Test func `text after a closing quote belongs to the value`() throws {
    #expect(try rows("\"pa\"ss,n\n\"x\"y\"z\",\"\"\"a\" b\n1") == [["pass", "n"], ["xy\"z\"", "\"a b"], ["1"]])
    #expect(try trouble("\"pa\"ss") == .textAfterQuote)
  }

  @Test func `a backslash escapes a quote only where the row makes no sense otherwise`() throws {
    #expect(try rows("a,\"x \\\"y\\\" z\",b\n") == [["a", "x \"y\" z", "b"]])
    #expect(try rows("a,\"x \\\"y, z\\\"\",\"b\"\n1,2\n") == [["a", "x \"y, z\"", "b"], ["1", "2"]])
    #expect(try rows("a,\"C:\\\",\"b\"\n") == [["a", "C:\\", "b"]])
    #expect(try rows("\"a\\\\b\"\n") == [["a\\\\b"]])
    #expect(try trouble("a,\"x \\\"y\\\" z\",b\n").isEmpty)
  }

  @Test func `a quote that is never closed spoils only its line`() throws {
    #expect(try rows("a,b\n\"1,2\n3,4\n") == [["a", "b"], ["\"1", "2"], ["3", "4"]])
    #expect(try trouble("a,b\n\"1,2\n3,4\n") == .strayQuote)
    #expect(try rows("a,b\n\"1,2,5\n3,4\n") == [["a", "b"], [""], ["3", "4"]])
    #expect(try trouble("a,b\n\"1,2,5\n3,4\n") == .unclosedQuote)
    #expect(try rows("a,b\n1,\"2\n3,\"x\"\n5,6\n") == [["a", "b"], ["1", "\"2"], ["3", "x"], ["5", "6"]])
    #expect(try rows("a,\"").count == 1)
  }

  @Test func `the delimiter is what the first line has`() throws {
    #expect(try rows("a;b\n1,5;\"2;3\"\n") == [["a", "b"], ["1,5", "2;3"]])
    #expect(try rows("a\tb\n1;2\t3") == [["a", "b"], ["1;2", "3"]])
    #expect(try rows("a;b,c\n1;2,3") == [["a;b", "c"], ["1;2", "3"]])
    #expect(try rows("\"a,b\";c") == [["a,b", "c"]])
    #expect(try rows("sep=;\r\na;b") == [["a", "b"]])
    #expect(try rows("# by x, y\n\n  \na;b") == [["a", "b"]])
  }

  @Test func `lines are counted over quoted line ends`() throws {
    #expect(try read(Array("a\n\"1\n2\"\n\n3\n".utf8)).map(\.line) == [1, 2, 5])
    #expect(try read(Array("a\r\"1\r2\"\r\r3\r".utf8)).map(\.line) == [1, 2, 5])
    #expect(try read(Array("a\r\n\"1\r2\"\r\n\r\n3\r\n".utf8)).map(\.line) == [1, 2, 4])
  }

  @Test func `what is too long or holds NULs is told`() throws {
    #expect(try trouble("a\n" + String(repeating: "x", count: (1 << 20) + 1)) == .longField)
    #expect(try trouble("a\nb\0\n") == .nul)
    #expect(try rows(String(repeating: ",", count: 5000) + "x").isEmpty)
    #expect(try rows("y" + String(repeating: ",", count: 5000) + "x") == [["y"] + [String](repeating: "", count: 1023)])
  }

  @Test func `a file made to be slow is not`() throws {
    let quotes = String(repeating: "\"\"\"\n", count: 200_000)
    #expect(try rows(quotes).count <= 200_000)
    let escapes = String(repeating: "\"\\\"x\"y\n", count: 100_000)
    #expect(try rows(escapes).count <= 100_000)
  }

  @Test func `a row longer than memory allows costs only itself`() throws {
    let long = "a,b\n1," + String(repeating: "x", count: 40 << 20) + "\n3,4\n"
    let found = try read(Array(long.utf8))
    #expect(found.map(\.line) == [1, 2, 3])
    #expect(found[1].trouble.contains(.longField))
    #expect(found[2].row == ["3", "4"])
    let open = "a,b\n1,\"" + String(repeating: "x", count: 40 << 20) + "\n3,4\n"
    let cut = try read(Array(open.utf8))
    #expect(cut.map(\.line) == [1, 2, 3])
    #expect(cut[1].trouble.contains(.unclosedQuote))
    #expect(cut[2].row == ["3", "4"])
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func `pieces of any size give the same rows`(chunk: Int) throws {
    var numbers = SeededGenerator(seed: 4181)
    let parts = ["a", "é", "\"", "\"\"", ",", "\\\"", "\r\n", "\n", "\r", "x y", "\0", "日本"]
    for _ in 0..<300 {
      var text = "h1,h2,h3\n"
      for _ in 0..<Int.random(in: 0..<60, using: &numbers) { text += parts.randomElement(using: &numbers) ?? "" }
      let whole = try read(Array(text.utf8))
      let pieces = try read(Array(text.utf8), chunk: chunk)
      #expect(pieces.map(\.row) == whole.map(\.row), "\(text.debugDescription)")
      #expect(pieces.map(\.line) == whole.map(\.line), "\(text.debugDescription)")
      #expect(pieces.map(\.trouble) == whole.map(\.trouble), "\(text.debugDescription)")
    }
  }

  @Test func `Python reads the same of what RFC 4180 allows`() throws {
    var numbers = SeededGenerator(seed: 4180)
    var text = ""
    for _ in 0..<400 {
      let row = (0..<Int.random(in: 1...4, using: &numbers)).map { _ -> String in
        let value = "v" + numbers.text(6, lineEnds: true)
        let isPlain = !value.contains { ",\"\n\r".contains($0) } && numbers.chance(50)
        return isPlain ? value : "\"" + value.replacingOccurrences(of: "\"", with: "\"\"") + "\""
      }
      text += row.joined(separator: ",") + (numbers.chance(50) ? "\n" : "\r\n")
    }
    let script = "import csv,sys,json,io;print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.read(),newline='')))))"
    guard let judged = python(script, input: text) else { return }
    #expect(try JSONDecoder().decode([[String]].self, from: judged) == (try rows(text)))
  }
}

/// What a Python program prints; nil where there is no Python.
private func python(_ script: String, input: String) -> Data? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["PYTHONIOENCODING=utf-8", "python3", "-c", script]
  let (into, out) = (Pipe(), Pipe())
  (process.standardInput, process.standardOutput) = (into, out)
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  into.fileHandleForWriting.write(Data(input.utf8))
  try? into.fileHandleForWriting.close()
  let data = out.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return process.terminationStatus == 0 && !data.isEmpty ? data : nil
}
