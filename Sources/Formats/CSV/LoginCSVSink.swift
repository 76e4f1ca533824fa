package import BrowsingData

/// Writes a password table, row by row as logins come.
package struct LoginCSVSink: RecordSink {
  private let dialect: LoginCSVDialect
  private var output: BufferedOutput
  private var losses = LossCounter()
  private var rows = 0
  private var isStarted = false

  package let types: DataTypes = .passwords

  /// What Chromium takes from one file.
  private static let chromium = (rows: 3000, bytes: 150 << 10, text: 1000, url: 2048)

  /// Into an output, in one of the dialects. The output must be one that only this user can read.
  package init(_ output: any ByteOutput, dialect: LoginCSVDialect) {
    self.output = BufferedOutput(output)
    self.dialect = dialect
  }

  package mutating func write(_ batch: RecordBatch) throws {
    guard case .logins(let logins) = batch else { return }
    start()
    for login in logins {
      rows += 1
      countLosses(of: login)
      let clean = withoutNUL(login)
      switch dialect {
      case .safari: writeSafari(clean)
      case .firefox: writeFirefox(clean)
      case .chromium: writeChromium(clean)
      }
      try output.flushIfFull()
    }
  }

  package mutating func finish() throws -> [Loss] {
    start()
    if dialect == .chromium { countChromiumLimits() }
    try output.finish()
    return losses.losses
  }

  package mutating func abandon() { output.abandon() }

  private mutating func start() {
    if !isStarted { output.write(dialect.header) }
    isStarted = true
  }

  // MARK: Rows

  private mutating func writeSafari(_ login: Login) {
    write([login.title ?? "", login.url, login.username, login.password, login.notes ?? "", login.otpauth ?? ""])
    output.write("\r\n")
  }

  private mutating func writeChromium(_ login: Login) {
    let values = [login.title ?? "", login.url, login.username, login.password, login.notes ?? ""]
    write(values)
    output.write("\n")
    let limit = LoginCSVSink.chromium
    for (field, value) in [("username", login.username), ("password", login.password), ("notes", login.notes ?? "")]
    where value.utf8.count > limit.text && value.unicodeScalars.count > limit.text {
      losses.add(.passwords, field, why: "Chromium refuses a row with more than 1,000 characters in it")
    }
    if login.url.utf8.count > limit.url {
      losses.add(.passwords, "url", why: "Chromium refuses a row with an address of more than 2,048 characters")
    }
  }

  private mutating func write(_ values: [String]) {
    for (index, value) in values.enumerated() {
      if index > 0 { output.write(UInt8(ascii: ",")) }
      output.writeField(value)
    }
  }

  /// Everything in quotes; what is not known is nothing at all. No line end after the last row.
  private mutating func writeFirefox(_ login: Login) {
    output.write("\r\n")
    var realm = login.httpRealm
    if realm?.isEmpty == true, login.formAction?.isEmpty == false {
      realm = nil
      losses.add(.passwords, "http_realm", why: "beside a form an empty realm is none")
    }
    let values: [String?] = [
      login.url, login.username, login.password, realm, login.formAction, login.guid,
      milliseconds(login.dateCreated, "date_created"), milliseconds(login.dateLastUsed, "date_last_used"),
      milliseconds(login.datePasswordChanged, "date_password_changed"),
    ]
    for (index, value) in values.enumerated() {
      if index > 0 { output.write(UInt8(ascii: ",")) }
      if let value { output.writeQuoted(value) }
    }
  }

  private mutating func milliseconds(_ time: Timestamp?, _ field: String) -> String? {
    guard let time else { return nil }
    if time.microseconds % 1000 != 0 { losses.add(.passwords, field, why: "only whole milliseconds fit") }
    return String(time.microseconds / 1000)
  }

  /// No program reads a NUL in a table.
  private mutating func withoutNUL(_ login: Login) -> Login {
    var clean = login
    func strip(_ text: String) -> String { String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self) }
    let paths: [(WritableKeyPath<Login, String>, String)] = [
      (\.url, "url"), (\.username, "username"), (\.password, "password"),
    ]
    for (path, field) in paths where login[keyPath: path].utf8.contains(0) {
      clean[keyPath: path] = strip(login[keyPath: path])
      losses.add(.passwords, field, why: "a NUL in it was left out")
    }
    let optional: [(WritableKeyPath<Login, String?>, String)] = [
      (\.title, "title"), (\.notes, "notes"), (\.otpauth, "otpauth"), (\.httpRealm, "http_realm"),
      (\.formAction, "form_action"), (\.guid, "guid"),
    ]
    for (path, field) in optional {
      guard let text = login[keyPath: path], text.utf8.contains(0) else { continue }
      clean[keyPath: path] = strip(text)
      losses.add(.passwords, field, why: "a NUL in it was left out")
    }
    return clean
  }

  // MARK: Losses

  private mutating func countLosses(of login: Login) {
    let held: [(String, Bool)] = [
      ("title", login.title?.isEmpty == false), ("notes", login.notes?.isEmpty == false),
      ("otpauth", login.otpauth != nil), ("urls", !login.urls.isEmpty), ("http_realm", login.httpRealm != nil),
      ("form_action", login.formAction != nil), ("date_created", login.dateCreated != nil),
      ("date_last_used", login.dateLastUsed != nil), ("date_password_changed", login.datePasswordChanged != nil),
      ("times_used", login.timesUsed != nil), ("profile", login.profile != nil),
    ]
    for (field, isThere) in held where isThere && dialect.missing.contains(field) {
      losses.add(.passwords, field, why: dialect.reason)
    }
  }

  private mutating func countChromiumLimits() {
    let limit = LoginCSVSink.chromium
    losses.add(
      .passwords, "password", why: "Chromium takes at most 3,000 rows of a file", count: max(0, rows - limit.rows))
    if output.count > limit.bytes {
      losses.add(.passwords, "password", why: "Chromium refuses a file of more than 150 KiB", count: rows)
    }
  }
}
