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

/// Random numbers that are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
