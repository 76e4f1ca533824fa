import BrowsingData
import Foundation
import Store

/// `demo`: a whole transfer between two temporary homes on this machine, over the real channel.
struct DemoCommand: Command {
  static let name = "demo"
  static let summary = "show a whole transfer between two temporary homes on this machine"
  static let details = "Nothing of yours is read or changed. Exits with 0 only if all has arrived equal."
  static var parameters: [Parameter<DemoCommand>] { [] }

  func run(_ context: Context) throws -> ExitCode {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wherry-demo-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try Interruption.shared.during {
      try Demonstration(context, folder: folder).run()
    }
  }
}
