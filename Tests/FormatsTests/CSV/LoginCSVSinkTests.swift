import BrowsingData
import Formats
import TestSupport
import Testing

private func write(_ logins: [Login], _ dialect: LoginCSVDialect) throws -> (String, [Loss]) {
  let output = MemoryOutput()
  var sink = LoginCSVSink(output, dialect: dialect)
  if !logins.isEmpty { try sink.write(.logins(logins)) }
  let losses = try sink.finish()
  #expect(output.isFinished)
  return (String(decoding: output.bytes, as: UTF8.self), losses)
}

private func read(_ text: String) throws -> [Login] {
  let records = try CollectedRecords(LoginCSVSource(MemoryInput(Array(text.utf8))))
  #expect(records.remarks.isEmpty)
  return records.logins
}

private func sample() -> Login {
  var login = Login(id: .other, url: "https://a.test/", username: "u,1", password: "p\"q")
  login.title = "=1+1"
  login.notes = "x \"y\",\nz "
  login.otpauth = "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"
  login.httpRealm = "R"
  login.dateCreated = Timestamp(microseconds: 1_500_000_000_001_000)
  login.dateLastUsed = Timestamp(microseconds: 1_500_000_000_001_001)
  return login
}

@Suite struct LoginCSVSinkTests {
  @Test func `Safari's file has six columns and CRLF`() throws {
    let (text, losses) = try write([sample()], .safari)
    #expect(
      text == "Title,URL,Username,Password,Notes,OTPAuth\r\n"
        + "=1+1,https://a.test/,\"u,1\",\"p\"\"q\",\"x \"\"y\"\",\nz \",otpauth://totp/a?secret=JBSWY3DPEHPK3PXP\r\n")
    #expect(losses.map { "\($0.field) \($0.count)" } == ["http_realm 1", "date_created 1", "date_last_used 1"])
  }

  @Test func `Firefox's file is all quoted, nothing is empty, and no line end follows the last row`() throws {
    var second = Login(id: .other, url: "https://b.test", username: "", password: "q")
    second.formAction = ""
    let (text, losses) = try write([sample(), second], .firefox)
    #expect(
      text
        == "\"url\",\"username\",\"password\",\"httpRealm\",\"formActionOrigin\",\"guid\",\"timeCreated\",\"timeLastUsed\",\"timePasswordChanged\"\r\n"
        + "\"https://a.test/\",\"u,1\",\"p\"\"q\",\"R\",,,\"1500000000001\",\"1500000000001\",\r\n"
        + "\"https://b.test\",\"\",\"q\",,\"\",,,,")
    #expect(losses.map { "\($0.field) \($0.count)" } == ["title 1", "notes 1", "otpauth 1", "date_last_used 1"])
  }

  @Test func `Chromium's file has five columns and LF, and its limits are said`() throws {
    var long = sample()
    long.password = String(repeating: "x", count: 1001)
    long.url = "https://a.test/" + String(repeating: "x", count: 2048)
    let (text, losses) = try write([sample(), long], .chromium)
    #expect(
      text.hasPrefix("name,url,username,password,note\n=1+1,https://a.test/,\"u,1\",\"p\"\"q\",\"x \"\"y\"\",\nz \"\n"))
    #expect(losses.first { $0.field == "otpauth" }?.count == 2)
    #expect(losses.first { $0.field == "password" }?.count == 1 && losses.first { $0.field == "url" }?.count == 1)
    let many = try write([Login](repeating: sample(), count: 3001), .chromium).1
    #expect(many.filter { $0.field == "password" }.map(\.count) == [1])
    let large = try write([Login](repeating: sample(), count: 3500), .chromium).1
    #expect(large.filter { $0.field == "password" }.map(\.count) == [500, 3500])
  }

  @Test func `an empty table is its header`() throws {
    #expect(try write([], .chromium).0 == "name,url,username,password,note\n")
    #expect(try read(write([], .firefox).0).isEmpty)
  }

  @Test func `NULs are left out and said`() throws {
    var login = sample()
    login.password = "a\0b"
    login.notes = "\0"
    let (text, losses) = try write([login], .safari)
    #expect(!text.utf8.contains(0) && text.contains(",ab,"))
    #expect(losses.contains { $0.field == "password" } && losses.contains { $0.field == "notes" })
  }

  @Test(arguments: LoginCSVDialect.allCases, 1...4 as ClosedRange<UInt64>)
  func `random logins survive but for the losses`(dialect: LoginCSVDialect, seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let logins = (0..<200).map { index -> Login in
      var login = Login(
        id: .other, url: "https://h\(index).test/" + numbers.text(3), username: numbers.text(lineEnds: true),
        password: numbers.text(20, lineEnds: true) + "\\\"" + numbers.text(3))
      login.title = numbers.chance(50) ? numbers.text() + "t" : nil
      login.notes = numbers.chance(50) ? numbers.text(30, lineEnds: true) + "n" : nil
      login.otpauth = numbers.chance(20) ? "otpauth://totp/\(index)?secret=JBSWY3DPEHPK3PXP" : nil
      login.formAction = numbers.chance(50) ? "https://f.test" : numbers.chance(50) ? "" : nil
      login.httpRealm = numbers.chance(20) ? numbers.text() : nil
      login.guid = numbers.chance(50) ? "{\(index)}" : nil
      login.dateCreated = numbers.time(unit: 1000)
      return login
    }
    let (text, losses) = try write(logins, dialect)
    let found = try read(text)
    #expect(found.count == logins.count)
    let lost = Set(losses.map(\.field))
    for (before, after) in zip(logins, found) {
      #expect(after.url == before.url && after.username == before.username && after.password == before.password)
      #expect(after.title == (lost.contains("title") ? nil : before.title))
      #expect(after.notes == (lost.contains("notes") ? nil : before.notes))
      #expect(after.otpauth == (lost.contains("otpauth") ? nil : before.otpauth))
      #expect(after.formAction == (lost.contains("form_action") ? nil : before.formAction))
      let hasEmptyRealm = before.httpRealm?.isEmpty == true && before.formAction?.isEmpty == false
      #expect(after.httpRealm == (dialect != .firefox || hasEmptyRealm ? nil : before.httpRealm))
      if before.httpRealm != after.httpRealm { #expect(lost.contains("http_realm")) }
      #expect(after.dateCreated == (lost.contains("date_created") ? nil : before.dateCreated))
    }
  }
}
