import Foundation
import TestSupport
import Testing

@testable import CLI

/// The service that `wherry sync --install` writes.
@Suite struct SyncUnitTests {
  private static let analyzer = "/usr/bin/systemd-analyze"

  @Test func `the unit runs this very program over the home that was named`() {
    let text = SyncUnit.text(program: "/opt/wherry/bin/wherry", home: "/home/me/My 100% $home")
    #expect(text.contains("ExecStart=/opt/wherry/bin/wherry sync --watch --home \"/home/me/My 100%% $$home\"\n"))
    #expect(SyncUnit.text(program: "/usr/bin/wherry", home: nil).contains("ExecStart=/usr/bin/wherry sync --watch\n"))
    // A program that was made nicer is told in the journal of each thread that it may not be less so.
    #expect(!text.contains("Nice="))
    // It comes back after a fault, not after its person stopped it, and is started with the session.
    for line in ["Restart=on-failure", "SuccessExitStatus=130", "WantedBy=default.target"] {
      #expect(text.contains("\n" + line + "\n"))
    }
  }

  @Test func `a service greets once, says each trouble once a day and one line at its end`() {
    var day = ServiceDay()
    #expect(day.meet("b") && !day.meet("a") && !day.meet("b"))
    #expect(day.isNew(trouble: "x") && !day.isNew(trouble: "x") && day.isNew(trouble: "y"))
    day.take(3)
    day.take(1_200)
    #expect(day.end() == "In step with a, b; 1,203 records came in the last 24 hours.")
    #expect(day.isNew(trouble: "x") && !day.meet("b\u{1b}"))
    day.take(1)
    #expect(day.end() == "In step with b\\u{1b}; 1 record came in the last 24 hours.")
    #expect(day.end() == "No paired machine was seen; 0 records came in the last 24 hours.")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)))
  func `systemd finds nothing to say about it`() throws {
    let folder = TemporaryDirectory()
    let program = folder.file("a strange 100% $name")
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: program)
    let unit = folder.file("wherry-sync.service")
    try SyncUnit.text(program: program, home: folder.path).write(toFile: unit, atomically: true, encoding: .utf8)
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.analyzer)
    process.arguments = ["verify", "--user", unit]
    process.environment = ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PATH": "/usr/bin:/bin"]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && said.isEmpty, "\(said)")
  }

  @Test(.enabled(if: !FileManager.default.fileExists(atPath: "/run/systemd/system")))
  func `without systemd it is said what to do instead, and nothing is written`() throws {
    let folder = TemporaryDirectory()
    let wherry = Wherry(home: folder.file("home"), environment: ["HOME": folder.path])
    let result = try wherry.run("sync", "--install", "--json")
    #expect(result.exit == 1)
    let error = try #require(result.events("error").first)
    #expect((error["message"] as? String)?.contains("systemd does not run") == true)
    #expect((error["hint"] as? String)?.contains("sync --watch") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file(".config")))
    #expect(try wherry.run("sync", "--uninstall").exit == 0)
  }
}
