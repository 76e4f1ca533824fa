import Foundation
import TestSupport
import Testing

@testable import Formats

private func rows(_ text: String) -> [[String]] {
  var reader = CSVReader(Array(text.utf8))
  var rows: [[String]] = []
  while reader.next() { rows.append(reader.fields.indices.map { reader.text($0) }) }
  return rows
}

private func trouble(_ text: String) -> CSVReader.Trouble {
  var reader = CSVReader(Array(text.utf8))
  var all: CSVReader.Trouble = []
  while reader.next() { all.formUnion(reader.trouble) }
  return all
}

@Suite struct CSVReaderTests {
  @Test(arguments: ["\n", "\r\n", "\r"])
  func `every line end ends a row`(end: String) {
    let text = "a,b\(end)\(end)1,\"2\(end)3\"\(end),\(end)4,"
    #expect(rows(text) == [["a", "b"], ["1", "2\(end)3"], ["4", ""]])
    #expect(trouble(text).isEmpty)
  }

  @Test func `quotes hold commas, line ends and doubled quotes`() {
    #expect(
      rows("\"a,1\",\"x \"\"y\"\", z\",\"\"\n\"\"\"\",\"\r\n\"\n") == [["a,1", "x \"y\", z", ""], ["\"", "\r\n"]])
    #expect(trouble("\"a\"\"b\"\n").isEmpty)
  }

  @Test func `a quote inside a value is a quote`() {
    #expect(rows("a\"b,\" c\", \"d\"\n") == [["a\"b", " c", " \"d\""]])
    #expect(trouble("a\"b,x").isEmpty)
  }

  @Test func `text after a closing quote belongs to the value`() {
    #expect(rows("\"pa\"ss,n\n\"x\"y\"z\",\"\"\"a\" b\n1") == [["pass", "n"], ["xy\"z\"", "\"a b"], ["1"]])
    #expect(trouble("\"pa\"ss") == .textAfterQuote)
  }

  @Test func `a backslash escapes a quote only where the row makes no sense otherwise`() {
    #expect(rows("a,\"x \\\"y\\\" z\",b\n") == [["a", "x \"y\" z", "b"]])
    #expect(rows("a,\"x \\\"y, z\\\"\",\"b\"\n1,2\n") == [["a", "x \"y, z\"", "b"], ["1", "2"]])
    #expect(rows("a,\"C:\\\",\"b\"\n") == [["a", "C:\\", "b"]])
    #expect(rows("\"a\\\\b\"\n") == [["a\\\\b"]])
    #expect(trouble("a,\"x \\\"y\\\" z\",b\n").isEmpty)
  }

  @Test func `a quote that is never closed spoils only its line`() {
    #expect(rows("a,b\n\"1,2\n3,4\n") == [["a", "b"], ["\"1", "2"], ["3", "4"]])
    #expect(trouble("a,b\n\"1,2\n3,4\n") == .strayQuote)
    #expect(rows("a,b\n\"1,2,5\n3,4\n") == [["a", "b"], [""], ["3", "4"]])
    #expect(trouble("a,b\n\"1,2,5\n3,4\n") == .unclosedQuote)
    #expect(rows("a,b\n1,\"2\n3,\"x\"\n5,6\n") == [["a", "b"], ["1", "\"2"], ["3", "x"], ["5", "6"]])
    #expect(rows("a,\"").count == 1)
  }

  @Test func `the delimiter is what the first line has`() {
    #expect(rows("a;b\n1,5;\"2;3\"\n") == [["a", "b"], ["1,5", "2;3"]])
    #expect(rows("a\tb\n1;2\t3") == [["a", "b"], ["1;2", "3"]])
    #expect(rows("a;b,c\n1;2,3") == [["a;b", "c"], ["1;2", "3"]])
    #expect(rows("\"a,b\";c") == [["a,b", "c"]])
    #expect(rows("sep=;\r\na;b") == [["a", "b"]])
    #expect(rows("# by x, y\n\n  \na;b") == [["a", "b"]])
  }

  @Test func `lines are counted over quoted line ends`() {
    var reader = CSVReader(Array("a\n\"1\n2\"\n\n3\n".utf8))
    var lines: [Int] = []
    while reader.next() { lines.append(reader.line()) }
    #expect(lines == [1, 2, 5])
  }

  @Test func `what is too long or holds NULs is told`() {
    #expect(trouble("a\n" + String(repeating: "x", count: (1 << 20) + 1)) == .longField)
    #expect(trouble("a\nb\0\n") == .nul)
    #expect(rows(String(repeating: ",", count: 5000) + "x").isEmpty)
    #expect(rows("y" + String(repeating: ",", count: 5000) + "x") == [["y"] + [String](repeating: "", count: 1023)])
  }

  @Test func `a file made to be slow is not`() {
    let quotes = String(repeating: "\"\"\"\n", count: 200_000)
    #expect(rows(quotes).count <= 200_000)
    let escapes = String(repeating: "\"\\\"x\"y\n", count: 100_000)
    #expect(rows(escapes).count <= 100_000)
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
    #expect(try JSONDecoder().decode([[String]].self, from: judged) == rows(text))
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
