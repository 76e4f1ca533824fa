import TestSupport
import Testing

@Suite struct UsageTests {
  private let folder = TemporaryDirectory()
  private var wherry: Wherry { Wherry(home: folder.file("home")) }

  @Test func `the version is said`() throws {
    let result = try wherry.run("--version")
    #expect(result.exit == 0)
    #expect(result.output.hasPrefix("wherry "))
  }

  @Test func `a wrong word is exit 64, and with json an event says so wherever json stands`() throws {
    for arguments in [["lst", "--json"], ["--json", "lst"]] {
      let result = try wherry.run(arguments[0], arguments[1])
      #expect(result.exit == 64)
      let error = try #require(result.events("error").first)
      #expect(error["code"] as? String == "usage")
      #expect((error["message"] as? String)?.contains("There is no command") == true)
      #expect(error["hint"] is String)
    }
  }

  @Test func `nothing at all is answered with the list of commands`() throws {
    let result = try wherry.run()
    #expect(result.exit == 0)
    #expect(result.output.contains("usage: wherry COMMAND"))
  }
}
