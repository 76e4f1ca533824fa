import Foundation

/// A program that runs, and what it has said so far.
final class Running: @unchecked Sendable {
  // Reason for @unchecked: `events` is used under `condition`; `process` by the test's thread only.
  private let process: Process
  private let condition = NSCondition()
  private var events: [[String: Any]] = []
  private var isOver = false

  init(home: String, _ arguments: [String]) throws {
    let output = Pipe(), errors = Pipe()
    process = try Wherry(home: home).start(arguments + ["--json", "--yes"], output: output, errors: errors)
    Thread.detachNewThread { while !errors.fileHandleForReading.availableData.isEmpty {} }
    Thread.detachNewThread { [self] in
      var rest = Data()
      while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        rest.append(data)
        while let end = rest.firstIndex(of: 10) {
          let line = rest[rest.startIndex..<end]
          rest = Data(rest[rest.index(after: end)...])
          guard let event = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { continue }
          condition.withLock {
            events.append(event)
            condition.broadcast()
          }
        }
      }
      condition.withLock {
        isOver = true
        condition.broadcast()
      }
    }
  }

  var isRunning: Bool { process.isRunning }

  /// The first event of this name; nil when the program ends, or two minutes pass, without one.
  func event(_ name: String) -> [String: Any]? {
    let end = Date(timeIntervalSinceNow: 120)
    return condition.withLock {
      while true {
        if let found = events.first(where: { $0["event"] as? String == name }) { return found }
        if isOver || !condition.wait(until: end) { return nil }
      }
    }
  }

  /// The word of the last error.
  var word: String? {
    condition.withLock { events.last { $0["event"] as? String == "error" }?["code"] as? String }
  }

  /// Kills it as a power cut of this program would.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Its exit status; ends it when it has not ended by itself after two minutes.
  func wait() -> Int32 {
    let end = Date(timeIntervalSinceNow: 120)
    while process.isRunning, Date() < end { usleep(20_000) }
    if process.isRunning {
      process.terminate()
      return -1
    }
    return process.terminationStatus
  }
}
