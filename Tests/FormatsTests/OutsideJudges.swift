import Foundation

/// What a Python program prints; nil where there is no python3. A failure of the program is an error.
func python(_ program: String, _ arguments: String...) throws -> String? {
  guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { return nil }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
  process.arguments = ["-c", program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  if process.terminationStatus != 0 { throw OutsideJudgeError.disagrees }
  return String(decoding: output, as: UTF8.self)
}

enum OutsideJudgeError: Error { case disagrees }
