import Foundation

/// One of the two devices of the demonstration: this program once more, with a home of its own.
final class DemoDevice {
  private let process = Process()
  private let output = Pipe()
  private let complaints: String
  private var rest: [UInt8] = []

  /// Starts the program with these arguments.
  init(_ arguments: [String], home: String, environment: [String: String] = [:]) throws {
    complaints = home + ".log"
    _ = FileManager.default.createFile(atPath: complaints, contents: nil, attributes: [.posixPermissions: 0o600])
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = arguments + ["--home", home, "--json", "--yes"]
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WHERRY_") }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: complaints) ?? .nullDevice
    do { try process.run() } catch { throw Failure(.failed, "The program cannot start itself a second time.") }
  }

  /// Its next event; nil when it has ended.
  func next() -> [String: Any]? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        let line = Data(rest[..<end])
        rest.removeSubrange(...end)
        if let event = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] { return event }
        continue
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest += more
    }
  }

  /// Its next event of this name; what comes before is passed over. nil when it ended without one.
  func next(_ name: String) -> [String: Any]? {
    while let event = next() {
      if event["event"] as? String == name { return event }
    }
    return nil
  }

  /// Waits until it ends; its exit status.
  func end() -> Int32 {
    while next() != nil {}
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What it said to people.
  var said: String { (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? "" }

  /// Ends it, if it has not ended by itself.
  func stop() {
    if process.isRunning { process.terminate() }
  }
}
