import Foundation
import Testing

/// A program that runs, and what it has said so far.
final class Program: @unchecked Sendable {
  // Reason for @unchecked: the texts are used under `condition`; the process by the test's thread only.
  private let process = Process()
  private let condition = NSCondition()
  private var said = Data()
  private var complained = Data()
  private var open = 2

  /// Starts a program beside the tests, or one with its whole path.
  init(_ name: String, _ arguments: [String]) throws {
    let output = Pipe(), errors = Pipe()
    process.executableURL = name.hasPrefix("/") ? URL(fileURLWithPath: name) : Program.built(name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    for (pipe, isOutput) in [(output, true), (errors, false)] {
      Thread.detachNewThread { [self] in
        while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
          condition.withLock {
            if isOutput { said.append(data) } else { complained.append(data) }
            condition.broadcast()
          }
        }
        condition.withLock {
          open -= 1
          condition.broadcast()
        }
      }
    }
  }

  private static func built(_ name: String) -> URL {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<4 {
      let program = folder.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      folder.deleteLastPathComponent()
    }
    return Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent().appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? URL(fileURLWithPath: name)
  }

  var output: String { condition.withLock { String(decoding: said, as: UTF8.self) } }
  var errors: String { condition.withLock { String(decoding: complained, as: UTF8.self) } }

  /// Code and address that it shows.
  func invitation() throws -> (code: String, address: String) {
    #expect(waits(for: "Code: "), "\(errors)")
    let lines = errors.split(separator: "\n").map(String.init)
    let address = try #require(lines.first { $0.hasPrefix("Listening on ") }).dropFirst(13).dropLast()
    let digits = try #require(lines.first { $0.hasPrefix("Code: ") }).dropFirst(6).prefix { $0 != "(" }
    return (digits.trimmingCharacters(in: .whitespaces), String(address.prefix { $0 != "," }))
  }

  /// Waits until it has said something on its standard error; false when it ended, or three minutes passed, without.
  func waits(for text: String) -> Bool {
    let end = Date(timeIntervalSinceNow: 180)
    return condition.withLock {
      while !String(decoding: complained, as: UTF8.self).contains(text) {
        if open == 0 || !condition.wait(until: end) { return false }
      }
      return true
    }
  }

  /// Kills it as a power cut of this program would.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Its exit status; -1 when it has not ended after four minutes.
  func end() -> Int32 {
    let end = Date(timeIntervalSinceNow: 240)
    condition.withLock { while open > 0, condition.wait(until: end) {} }
    if process.isRunning, Date() > end {
      process.terminate()
      return -1
    }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
