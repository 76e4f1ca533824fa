import Foundation
import Glibc

/// The systemd user unit that runs `wherry sync --watch`.
struct SyncUnit {
  private static let unitName = "wherry-sync.service"
  private let context: Context
  private let folder: String
  private let program: String

  init(_ context: Context) throws {
    self.context = context
    guard let user = environment("HOME"), user.hasPrefix("/") else { throw Failure(.failed, "HOME names no folder.") }
    let config = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? user + "/.config"
    folder = config + "/systemd/user"
    program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  private var path: String { "\(folder)/\(SyncUnit.unitName)" }

  /// Writes, enables and starts it, and says what that means.
  func install() throws -> ExitCode {
    guard access("/run/systemd/system", F_OK) == 0, control != nil else {
      throw Failure(
        .failed, "systemd does not run on this machine: there is nothing to install into.",
        hint: "Start  \(SyncUnit.command(program: program, home: home))  from your session's autostart instead.")
    }
    _ = try context.openHome()
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try text().write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw Failure(.failed, "The unit cannot be written: \(visible(path)).")
    }
    for words in [["daemon-reload"], ["enable", SyncUnit.unitName], ["restart", SyncUnit.unitName]] {
      guard run(words) else {
        throw Failure(
          .failed, "systemd did not take the service (systemctl --user \(words.joined(separator: " ")) failed).",
          hint: "Is this the session of a user? wherry sync --uninstall removes \(visible(path)) again.")
      }
    }
    say("installed")
    context.output.result(
      """
      Installed and started: \(visible(path))
        It runs whenever you are logged in, finds the paired machines again after sleep and changes of the network,
        and says one line a day:  journalctl --user -u wherry-sync
        To let it run while you are not logged in:  loginctl enable-linger
        To end it:  wherry sync --uninstall
      """)
    return .done
  }

  /// Stops and removes it.
  func uninstall() throws -> ExitCode {
    let isThere = access(path, F_OK) == 0
    if isThere {
      // Without systemd nothing runs, and the file is all there is.
      _ = run(["disable", "--now", SyncUnit.unitName])
      guard unlink(path) == 0 else { throw Failure.system("The unit cannot be removed", errno) }
      _ = run(["daemon-reload"])
    }
    say("absent")
    context.output.result(isThere ? "The service is gone. The pairings stay." : "There was no service.")
    return .done
  }

  private func say(_ state: String) {
    context.output.event("service") { json in
      json.field("unit", path)
      json.field("state", state)
    }
  }

  private var control: String? { ["/usr/bin/systemctl", "/bin/systemctl"].first { access($0, X_OK) == 0 } }

  /// Whether systemctl did it.
  private func run(_ words: [String]) -> Bool {
    guard let control else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: control)
    process.arguments = ["--user"] + words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private func text() -> String { SyncUnit.text(program: program, home: home) }

  /// The home as a whole path; nil for the usual one.
  private var home: String? {
    context.homePath.map { $0.hasPrefix("/") ? $0 : FileManager.default.currentDirectoryPath + "/" + $0 }
  }

  private static func command(program: String, home: String?) -> String {
    "\(quoted(program, isProgram: true)) sync --watch" + (home.map { " --home \(quoted($0))" } ?? "")
  }

  /// The unit. It needs the network, the home and the browsers' profiles; `home` is nil for the usual one.
  static func text(program: String, home: String?) -> String {
    """
    [Unit]
    Description=Wherry: keep browsers and paired machines in step

    [Service]
    ExecStart=\(command(program: program, home: home))
    Restart=on-failure
    RestartSec=10
    SuccessExitStatus=130
    CPUWeight=30
    NoNewPrivileges=yes
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    SystemCallArchitectures=native

    [Install]
    WantedBy=default.target

    """
  }

  /// A word of ExecStart: in quotes where it must be, and with what systemd would read as its own doubled. In the program's
  /// path it reads no variables.
  static func quoted(_ word: String, isProgram: Bool = false) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 45...57, 65...90, 95, 97...122: true
      case _: false
      }
    }
    if isPlain { return word }
    var text = "\""
    for character in word {
      switch character {
      case "\\", "\"": text += "\\\(character)"
      case "%": text += "%%"
      case "$": text += isProgram ? "$" : "$$"
      case let other: text.append(other)
      }
    }
    return text + "\""
  }
}
