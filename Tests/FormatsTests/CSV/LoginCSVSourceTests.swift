import BrowsingData
import Formats
import TestSupport
import Testing

private func read(_ text: String, _ header: LoginCSVSource.Header = .firstRow) throws -> CollectedRecords {
  try CollectedRecords(LoginCSVSource(MemoryInput(Array(text.utf8), chunk: 5), header: header))
}

private func login(_ text: String) throws -> Login {
  let records = try read(text)
  return try #require(records.logins.first)
}

@Suite struct LoginCSVSourceTests {
  @Test func `Chrome's file has a note`() throws {
    let logins = try read("name,url,username,password,note\na,https://a.test/,u,p,hello\nb,https://b.test/,v,q").logins
    #expect(logins.map(\.title) == ["a", "b"] && logins.map(\.notes) == ["hello", nil])
    #expect(logins.map(\.username) == ["u", "v"] && logins.map(\.password) == ["p", "q"])
  }

  @Test func `Firefox's file has a realm or a form, and milliseconds`() throws {
    let records = try read(
      #"""
      "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"\#r
      "https://a.test","u","p",,"https://f.test","{g}","1500000000001","1500000001002","0"\#r
      "https://b.test","v","q","Members ""only""",,,,,"x"\#r
      "https://c.test","w","r",,"",,,,
      """#)
    let logins = records.logins
    #expect(logins.map(\.httpRealm) == [nil, "Members \"only\"", nil])
    #expect(logins.map(\.formAction) == ["https://f.test", nil, ""])
    #expect(logins[0].dateCreated?.microseconds == 1_500_000_000_001_000 && logins[0].datePasswordChanged == nil)
    #expect(logins[0].guid == "{g}" && logins[1].guid == nil)
    #expect(records.warnings.map(\.place) == [.line(3)])
  }

  @Test func `1Password's columns come in another order, or without a header`() throws {
    let new = try login(
      "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n\"A, B\",https://a.test/,u,p,otpauth://totp/a?secret=JBSWY3DPEHPK3PXP,true,false,x;y,\"n1\nn2\""
    )
    #expect(new.title == "A, B" && new.notes == "n1\nn2" && new.otpauth == "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")
    let old = try read("n,x,p,T,Login,https://a.test/,u\n", .onePasswordWithoutHeader).logins
    #expect(old.map(\.title) == ["T"] && old.map(\.password) == ["p"] && old.map(\.username) == ["u"])
  }

  @Test func `a header may have blanks and quotes around its names`() throws {
    let login = try login(" \"URL\" , UserName ,\tPassword\nhttps://a.test/,u,p\n")
    #expect(login.url == "https://a.test/" && login.username == "u" && login.password == "p")
  }

  @Test func `a form and an empty realm are a form`() throws {
    let login = try login(
      "\"hostname\",\"username\",\"password\",\"formSubmitURL\",\"httpRealm\"\n\"https://a.test\",\"u\",\"p\",\"https://f.test\",\"\"\n"
    )
    #expect(login.httpRealm == nil && login.formAction == "https://f.test")
  }

  @Test func `of several columns of notes the first filled one counts: note, notes, comment, comments, extra`() throws {
    let logins = try read(
      "url,username,password,extra,comments,comment,notes,note\nhttps://a.test/,u,p,5,4,3,2,1\n"
        + "https://b.test/,u,p,5,4,3,2,\nhttps://c.test/,u,p,5,4,3,,\nhttps://d.test/,u,p,5,4,,,\nhttps://e.test/,u,p,5,,,,"
    ).logins
    #expect(logins.map(\.notes) == ["1", "2", "3", "4", "5"])
  }

  @Test func `a note without a password is a note`() throws {
    let found = try read("url,username,password,extra,name,grouping,fav\nhttp://sn,,,secret,N,G,0\n")
    #expect(found.skipped.map(\.reason) == ["a secure note, no login"])
  }

  @Test func `Bitwarden's file has several addresses in one value, and notes among the logins`() throws {
    let records = try read(
      """
      folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
      Work,1,login,M,a note,,0,"https://m.test/?a,b,https://n.test, android://h@c/",u,p,jbsw y3dp ehpk 3pxp
      ,,note,N,text,,0,,,,
      """)
    #expect(records.logins.count == 1 && records.logins[0].url == "https://m.test/?a,b")
    #expect(records.logins[0].urls == ["https://n.test", "android://h@c/"])
    #expect(records.logins[0].otpauth == "otpauth://totp/M?secret=JBSWY3DPEHPK3PXP")
    #expect(records.skipped.map(\.place) == [.line(3)])
    #expect(records.warnings.map(\.reason) == ["logins have no place for these columns: folder, favorite"])
  }

  @Test func `KeePassXC's file has times in ISO 8601`() throws {
    let login = try login(
      """
      "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
      "Root/Web","A","u","p","https://a.test/login","1\n2",,"0","2024-01-02T03:04:05.5+01:00","2023-05-06T07:08:09Z"
      """)
    #expect(login.dateCreated?.microseconds == 1_683_356_889_000_000)
    #expect(login.datePasswordChanged?.microseconds == 1_704_161_045_500_000)
    #expect(login.notes == "1\n2" && login.otpauth == nil)
  }

  @Test func `LastPass' secure notes are skipped, what looks like HTML is left alone and said`() throws {
    let records = try read(
      "\n\nurl,username,password,extra,name,grouping,fav\nhttps://a.test,u,p&amp;q,x,A,,0\nhttp://sn,,,text,N,,0\nhttp://sn,u,p,text,N,,0"
    )
    #expect(records.logins.map(\.password) == ["p&amp;q"] && records.logins[0].notes == "x")
    #expect(records.skipped.map(\.place) == [.line(5), .line(6)])
    #expect(records.warnings.count == 1)
  }

  @Test func `an old exporter says its name first`() throws {
    let login = try login(
      "# Generated by x, y\n\"hostname\",\"username\",\"password\",\"formSubmitURL\"\n\"https://a.test\",\"u\",\"p\",\"https://b.test\""
    )
    #expect(login.url == "https://a.test" && login.formAction == "https://b.test")
  }

  @Test func `of two columns the one that is not empty counts, and a difference is said`() throws {
    let records = try read(
      "name,title,url,username,password,username2\n,A,https://a.test/,,p,v\nB,,https://b.test/,v,q,\nC,D,https://c.test/,v,q,"
    )
    #expect(records.logins.map(\.title) == ["A", "B", "D"] && records.logins.map(\.username) == ["v", "v", "v"])
    #expect(records.warnings.map(\.place) == [.line(4)])
  }

  @Test func `values are never changed`() throws {
    let logins = try read(
      "\u{FEFF} Name , URL,username,password,note\n=1+1,https://U:p@A.test:443/x?y#z, u , p1 ,+2\n\"@x\",android://hash==@com.app/,-v,=cmd,\"  \""
    ).logins
    #expect(logins.map(\.username) == [" u ", "-v"] && logins.map(\.password) == [" p1 ", "=cmd"])
    #expect(logins.map(\.title) == ["=1+1", "@x"] && logins.map(\.notes) == ["+2", "  "])
    #expect(logins.map(\.url) == ["https://U:p@A.test:443/x?y#z", "android://hash==@com.app/"])
  }

  @Test func `an address without a scheme is completed and said`() throws {
    let records = try read(
      "url,username,password\na.test,u,p\nlocalhost:8080/x,u,p\nftp://f.test/,u,p\nmy router,u,p\nabout:x,u,p")
    #expect(
      records.logins.map(\.url) == [
        "https://a.test", "https://localhost:8080/x", "ftp://f.test/", "my router", "about:x",
      ])
    #expect(records.warnings.map(\.place) == [.line(2), .line(3), .line(5)])
  }

  @Test func `each row is judged on its own`() throws {
    let records = try read(
      """
      url,username,password
      ,u,p
      https://a.test,u,
      https://n.test,u,p\0
      https://b.test,,p
      https://q.test,u,"p
      https://c.test,u,"p"x
      "https://r.test,u
      """)
    #expect(records.logins.map(\.url) == ["https://b.test", "https://q.test", "https://c.test"])
    #expect(records.logins.map(\.password) == ["p", "\"p", "px"])
    #expect(records.skipped.map(\.place) == [.line(2), .line(3), .line(4), .line(8)])
    #expect(records.warnings.map(\.place) == [.line(6), .line(7)])
  }

  @Test func `no remark tells a secret`() throws {
    let records = try read(
      "url,username,password,totp,user\nSECRET,SECRET,\"SEC\"RET,SECRET!,SECRET2\nx y SECRET,SECRET,SECRET,otpauth://totp/SECRET,\n,SECRET,SECRET,,\n\"SECRET"
    )
    #expect(records.remarks.count >= 5)
    #expect(!records.remarks.contains { $0.reason.contains("SEC") })
  }

  @Test func `a table of something else is refused`() {
    for text in ["name,url,username\na,b,c", "", "x", "\"", "a;b;c\n"] {
      #expect(throws: FormatError.self) { try read(text) }
      #expect(!LoginCSVSource.recognizes(Array(text.utf8)))
    }
    #expect(LoginCSVSource.recognizes(Array("URL;User;Password".utf8)))
  }

  @Test func `what is no UTF-8 is windows-1252, and UTF-16 is read`() throws {
    let bytes = Array("name,url,username,password\nCaf".utf8) + [0xE9] + Array(",https://a.test/,se\u{1}or,p".utf8)
    let records = try CollectedRecords(LoginCSVSource(MemoryInput(bytes)))
    #expect(records.logins.map(\.title) == ["Café"] && records.warnings.count == 1)
    var wide: [UInt8] = [0xFF, 0xFE]
    for unit in "url,username,password\nhttps://ä.test,u,p".utf16 { wide += [UInt8(unit & 255), UInt8(unit >> 8)] }
    #expect(try CollectedRecords(LoginCSVSource(MemoryInput(wide))).logins.map(\.url) == ["https://ä.test"])
  }

  @Test func `ids follow the identity, and only another form makes another login`() throws {
    let text = """
      url,username,password,httpRealm,formActionOrigin
      https://a.test/x,u,p1,,https://f.test
      https://a.test/y,u,p2,,https://f.test
      https://a.test,u,p3,,https://g.test
      https://a.test,u,p4,R,
      https://A.test:443,v,p5,,https://f.test
      """
    let logins = try read(text).logins
    #expect(logins.map(\.occurrence) == [0, 0, 1, 0, 0])
    #expect(Set(logins.map(\.id)).count == 4 && logins[0].id == logins[1].id)
    #expect(try read(text).logins == logins)
    let source = LoginCSVSource(MemoryInput(Array(text.utf8)))
    #expect(try RecordSourceContract.violations(of: source).isEmpty)
    #expect(try source.counts()[.passwords] == 5)
  }
}

@Suite struct OneTimePasswordTests {
  private func otp(_ value: String) throws -> (String?, Int) {
    let records = try read("url,username,password,title,totp\nhttps://a.test,u,p,a b,\"\(value)\"")
    return (records.logins.first?.otpauth, records.warnings.count)
  }

  @Test(arguments: [
    "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", "otpauth://totp?secret=gezd gnbv gy3t qojq",
    "otpauth:totp/x?issuer=A&secret=JBSWY3DPEHPK3PXP%3D&digits=8&period=60&algorithm=SHA512",
    "otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=5", "steam://JBSWY3DPEHPK3PXP",
  ])
  func `an address is kept byte for byte`(value: String) throws {
    #expect(try otp(value) == (value, 0))
  }

  @Test(arguments: [
    "otpauth://totp/a", "otpauth://totp/a?secret=1", "otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP", "words, not a secret!",
    "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&digits=99", "otpauth://x/a?secret=JBSWY3DPEHPK3PXP", "otpauth:",
  ])
  func `what will not work is kept, too, and said`(value: String) throws {
    #expect(try otp(value) == (value, 1))
  }

  @Test func `a bare secret becomes an address`() throws {
    #expect(try otp("jbsw y3dp-ehpk 3pxp==") == ("otpauth://totp/a%20b?secret=JBSWY3DPEHPK3PXP", 0))
  }
}
