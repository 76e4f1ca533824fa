internal import BrowsingData

/// Makes logins of the rows of a password table.
struct LoginCSVRows: ~Copyable {
  private var reader: CSVReader
  private let columns: LoginColumns
  private var remarks: [Remark] = []
  private var forms = LoginForms()
  private var leftOut: Set<Int> = []
  private var looksLikeHTML = false
  private var isAtEnd = false

  /// So many are handed over at once.
  private static let maximumRemarks = 128
  /// More logins with forms are refused: of each of them something is kept.
  private static let maximumForms = 1 << 20

  /// Over the rows after the header.
  init(_ reader: consuming CSVReader, _ columns: LoginColumns) {
    self.reader = reader
    self.columns = columns
  }

  /// The next batch, made in a room for it; nil after the last one.
  mutating func next(_ room: inout RecordRoom<Login>) throws(FormatError) -> RecordBatch? {
    if forms.count > LoginCSVRows.maximumForms { throw .tooLarge("more than a million logins", .none) }
    while !isAtEnd, !room.isFull, remarks.count < LoginCSVRows.maximumRemarks {
      if try reader.next() {
        room.add { login in takeRow(reader.row, &login) }
      } else {
        isAtEnd = true
        warnAtEnd()
      }
    }
    if !room.isEmpty { return .logins(room.take()) }
    if remarks.isEmpty { return nil }
    defer { remarks = [] }
    return .remarks(remarks)
  }

  // MARK: Remarks

  /// Adds a warning.
  mutating func warn(_ reason: String, _ place: Remark.Place) {
    remarks.append(Remark(.warning, type: .passwords, place: place, reason: reason))
  }

  private mutating func warn(_ reason: String) { warn(reason, .line(reader.line())) }

  /// Adds that a row was left out; false.
  private mutating func skip(_ reason: String) -> Bool {
    remarks.append(Remark(.skipped, type: .passwords, place: .line(reader.line()), reason: reason))
    return false
  }

  private mutating func warnAtEnd() {
    let seen = leftOut
    let names = columns.leftOut.filter { seen.contains($0.index) }.map(\.name)
    if !names.isEmpty { warn("logins have no place for these columns: " + names.joined(separator: ", "), .none) }
    if looksLikeHTML { warn("some values look as if written for HTML (&amp;); they were left as they are", .none) }
  }

  // MARK: Rows

  /// Makes a login of the row, out of an older one; false when the row is none.
  private mutating func takeRow(_ row: borrowing CSVRow, _ login: inout Login) -> Bool {
    guard isReadable(row) else { return false }
    let otp = columns.column(.otpauth, row)
    let password = columns.column(.password, row)
    let urlColumn = columns.column(.url, row)
    if let urlColumn, columns.isLastPass, row.isWord(urlColumn, "http://sn") {
      return skip("a secure note, no login")
    }
    if password == nil, otp == nil { return skip("no password") }
    guard let urlColumn else { return skip("no address") }
    takeAddress(urlColumn, row, &login)
    login.username = text(.username, row) ?? ""
    login.password = password.map { row.text($0) } ?? ""
    login.title = text(.title, row)
    login.notes = text(.notes, row)
    login.otpauth = otp.flatMap { address(ofOTP: row.text($0), title: login.title) }
    if columns.hasFirefoxFields { readFirefoxFields(row, into: &login) }
    noteOddities(row, login.username, login.password)
    identify(&login)
    return true
  }

  /// Whether the row can be read and is a login.
  private mutating func isReadable(_ row: borrowing CSVRow) -> Bool {
    let trouble = reader.trouble
    if !trouble.isEmpty {
      if trouble.contains(.nul) { return skip("a NUL in a value") }
      if trouble.contains(.unclosedQuote) { return skip("a quote is never closed") }
      if trouble.contains(.longField) { return skip("a value of more than 1 MiB") }
      let word = trouble.contains(.strayQuote) ? "a quote that opens nothing" : "text after a closing quote"
      warn(word + " was taken as part of the value")
    }
    if columns.hasColumn(.kind), let kind = columns.column(.kind, row), !row.isWord(kind, "login") {
      return skip("no login: its type is another one")
    }
    return true
  }

  private mutating func takeAddress(_ column: Int, _ row: borrowing CSVRow, _ login: inout Login) {
    var url = row.text(column)
    let more = columns.hasAddressLists ? LoginAddress.split(&url) : []
    if !LoginAddress.hasScheme(url) {
      if let whole = LoginAddress.completed(url) {
        warn("the address has no scheme and was completed with https")
        url = whole
      } else {
        warn("the address is none that a browser opens")
      }
    }
    login.url = url
    login.urls = more
  }

  @inline(__always)
  private func text(_ meaning: LoginColumns.Meaning, _ row: borrowing CSVRow) -> String? {
    guard let index = columns.column(meaning, row) else { return nil }
    return row.text(index)
  }

  private mutating func address(ofOTP value: String, title: String?) -> String? {
    guard let address = OneTimePassword.address(value, title: title) else { return nil }
    if !address.isValid { warn("the one-time-password address may not work; it was kept as it is") }
    return address.text
  }

  private mutating func readFirefoxFields(_ row: borrowing CSVRow, into login: inout Login) {
    let formAction = nullable(.formAction, row)
    let httpRealm = nullable(.httpRealm, row)
    // A table that quotes everything has "" for nothing: where there is a form there is no realm.
    let isNone = httpRealm?.isEmpty == true && formAction?.isEmpty == false
    login.httpRealm = isNone ? nil : httpRealm
    login.formAction = formAction
    login.guid = text(.guid, row)
    login.dateCreated = time(.created, row)
    login.dateLastUsed = time(.lastUsed, row)
    login.datePasswordChanged = time(.passwordChanged, row)
    login.timesUsed = text(.timesUsed, row).flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// A value of which nothing is not the same as "".
  private func nullable(_ meaning: LoginColumns.Meaning, _ row: borrowing CSVRow) -> String? {
    guard let index = columns.first(meaning), index < row.count else { return nil }
    return row.isEmpty(index) && !row.isQuoted(index) ? nil : row.text(index)
  }

  private mutating func time(_ meaning: LoginColumns.Meaning, _ row: borrowing CSVRow) -> Timestamp? {
    guard let text = text(meaning, row), text != "0" else { return nil }
    if let time = CSVTime.read(text) { return time }
    warn("column \(meaning.word) holds no time that can be")
    return nil
  }

  /// Warns of columns that contradict each other, and remembers what is to be said of the whole table.
  private mutating func noteOddities(_ row: borrowing CSVRow, _ username: String, _ password: String) {
    for meaning in columns.twins where columns.isContradictory(meaning, row) {
      warn("two columns for \(meaning.word) differ; the first was taken")
    }
    for column in columns.leftOut where !row.isEmpty(column.index) {
      if !["0", "false", "no"].contains(row.text(column.index)) { leftOut.insert(column.index) }
    }
    if columns.isLastPass, !looksLikeHTML {
      looksLikeHTML = ["&amp;", "&lt;", "&gt;", "&quot;"].contains {
        password.contains($0) || username.contains($0)
      }
    }
  }

  /// Logins that differ in nothing but where their form is sent get numbers; the store judges all others that meet.
  private mutating func identify(_ login: inout Login) {
    let first = id(login, occurrence: 0)
    login.id = first
    login.occurrence = 0
    guard columns.hasColumn(.formAction) else { return }
    login.occurrence = forms.number(of: login.formAction, login: first)
    if login.occurrence > 0 { login.id = id(login, occurrence: login.occurrence) }
  }

  private func id(_ login: Login, occurrence: Int) -> RecordID {
    RecordID.login(url: login.url, httpRealm: login.httpRealm, username: login.username, occurrence: occurrence)
  }
}
