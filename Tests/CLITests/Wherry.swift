import Foundation

/// The built program, run as a person or a script would run it.
struct Wherry {
  /// What came of a run.
  struct Result {
    var exit: Int32
    var output: String
    var errors: String

    /// The objects of standard output, one a line; nil when a line is none.
    var events: [[String: Any]]? {
      var events: [[String: Any]] = []
      for line in output.split(separator: "\n") {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          object["event"] is String
        else { return nil }
        events.append(object)
      }
      return events
    }

    /// The events of this name.
    func events(_ name: String) -> [[String: Any]] { (events ?? []).filter { $0["event"] as? String == name } }

    /// The figures of one type in the closing report.
    func figures(_ type: String) -> [String: Int] {
      let types = events("report").last?["types"] as? [String: Any]
      return types?[type] as? [String: Int] ?? [:]
    }
  }

  /// The program beside the test bundle.
  static let path: String = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<4 {
      let program = folder.appendingPathComponent("wherry")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program.path }
      folder.deleteLastPathComponent()
    }
    return Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent().appendingPathComponent("wherry").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "wherry"
  }()

  /// The home of every run.
  var home: String
  /// Further variables of the environment.
  var environment: [String: String] = [:]

  /// A program that has been started.
  func start(_ arguments: [String], input: Pipe? = nil, output: Pipe, errors: Pipe) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Wherry.path)
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("WHERRY_") && !$0.key.hasPrefix("XDG_")
    }
    variables["WHERRY_HOME"] = home
    variables["HOME"] = home + "/nobody"
    variables.merge(environment) { $1 }
    process.environment = variables
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return process
  }

  /// Runs to the end.
  func run(_ arguments: String...) throws -> Result {
    let output = Pipe(), errors = Pipe()
    let process = try start(arguments, output: output, errors: errors)
    let said = Gathered(), complained = Gathered()
    let group = DispatchGroup()
    for (pipe, text) in [(output, said), (errors, complained)] {
      DispatchQueue.global().async(group: group) { text.bytes = pipe.fileHandleForReading.readDataToEndOfFile() }
    }
    process.waitUntilExit()
    group.wait()
    return Result(exit: process.terminationStatus, output: said.text, errors: complained.text)
  }
}

/// What a pipe gave; written by one queue before it is read by another.
private final class Gathered: @unchecked Sendable {
  var bytes = Data()
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
