internal import BrowsingData

/// Makes logins of the rows of a password table.
struct LoginCSVRows: ~Copyable {
  private var reader: CSVReader
  private let columns: LoginColumns
  private var batch: [Login] = []
  private var remarks: [Remark] = []
  /// Where the forms of logins with the same origin, realm and user are sent: what tells them apart.
  private var forms: [RecordID: [String?]] = [:]
  private var leftOut: Set<Int> = []
  private var looksLikeHTML = false
  private var isAtEnd = false
  /// That of the login whose id was made last.
  private var identity = RecordIdentity.login(origin: "", httpRealm: nil, username: "", occurrence: 0)

  /// Few enough that the room for them is below what the allocator tidies up after.
  private static let batchCount = 128

  /// Over the rows after the header.
  init(_ reader: consuming CSVReader, _ columns: LoginColumns) {
    self.reader = reader
    self.columns = columns
  }

  /// The next batch; nil after the last one.
  mutating func next() throws(FormatError) -> RecordBatch? {
    while !isAtEnd, batch.count < LoginCSVRows.batchCount, remarks.count < LoginCSVRows.batchCount {
      if try reader.next() {
        takeRow()
      } else {
        isAtEnd = true
        warnAtEnd()
      }
    }
    if !batch.isEmpty {
      let complete = batch
      batch = []
      if !isAtEnd { batch.reserveCapacity(LoginCSVRows.batchCount) }
      return .logins(complete)
    }
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

  private mutating func skip(_ reason: String) {
    remarks.append(Remark(.skipped, type: .passwords, place: .line(reader.line()), reason: reason))
  }

  private mutating func warnAtEnd() {
    let seen = leftOut
    let names = columns.leftOut.filter { seen.contains($0.index) }.map(\.name)
    if !names.isEmpty { warn("logins have no place for these columns: " + names.joined(separator: ", "), .none) }
    if looksLikeHTML { warn("some values look as if written for HTML (&amp;); they were left as they are", .none) }
  }

  // MARK: Rows

  private mutating func takeRow() {
    guard isReadable() else { return }
    let otp = columns.column(.otpauth, reader)
    let password = columns.column(.password, reader)
    let urlColumn = columns.column(.url, reader)
    if let urlColumn, columns.isLastPass, reader.isWord(urlColumn, "http://sn") {
      return skip("a secure note, no login")
    }
    if password == nil, otp == nil { return skip("no password") }
    guard let urlColumn else { return skip("no address") }
    var url = reader.text(urlColumn)
    let more = columns.hasAddressLists ? LoginAddress.split(&url) : []
    if !LoginAddress.hasScheme(url) {
      if let whole = LoginAddress.completed(url) {
        warn("the address has no scheme and was completed with https")
        url = whole
      } else {
        warn("the address is none that a browser opens")
      }
    }
    let title = text(.title)
    // Fields are set where the login stays: it is never copied.
    let last = batch.count
    batch.append(Login(id: .other, url: url, username: text(.username) ?? "", password: ""))
    if let password { batch[last].password = reader.text(password) }
    if !more.isEmpty { batch[last].urls = more }
    if let title { batch[last].title = title }
    if let notes = text(.notes) { batch[last].notes = notes }
    if let otp { readOTP(reader.text(otp), title, into: last) }
    if columns.hasFirefoxFields { readFirefoxFields(into: last) }
    warnOfLeftOut(last)
    identify(last)
  }

  /// Whether the row can be read and is a login.
  private mutating func isReadable() -> Bool {
    let trouble = reader.trouble
    if !trouble.isEmpty {
      if trouble.contains(.nul) {
        skip("a NUL in a value")
        return false
      }
      if trouble.contains(.unclosedQuote) {
        skip("a quote is never closed")
        return false
      }
      if trouble.contains(.longField) {
        skip("a value of more than 1 MiB")
        return false
      }
      let word = trouble.contains(.strayQuote) ? "a quote that opens nothing" : "text after a closing quote"
      warn(word + " was taken as part of the value")
    }
    if columns.hasColumn(.kind), let kind = columns.column(.kind, reader), !reader.isWord(kind, "login") {
      skip("no login: its type is another one")
      return false
    }
    return true
  }

  @inline(__always)
  private func text(_ meaning: LoginColumns.Meaning) -> String? {
    guard let index = columns.column(meaning, reader) else { return nil }
    return reader.text(index)
  }

  private mutating func readOTP(_ value: String, _ title: String?, into place: Int) {
    guard let address = OneTimePassword.address(value, title: title) else { return }
    batch[place].otpauth = address.text
    if !address.isValid { warn("the one-time-password address may not work; it was kept as it is") }
  }

  private mutating func readFirefoxFields(into place: Int) {
    let formAction = nullable(.formAction)
    let httpRealm = nullable(.httpRealm)
    // A table that quotes everything has "" for nothing: where there is a form there is no realm.
    let isNone = httpRealm?.isEmpty == true && formAction?.isEmpty == false
    batch[place].httpRealm = isNone ? nil : httpRealm
    batch[place].formAction = formAction
    batch[place].guid = text(.guid)
    batch[place].dateCreated = time(.created)
    batch[place].dateLastUsed = time(.lastUsed)
    batch[place].datePasswordChanged = time(.passwordChanged)
    if let count = text(.timesUsed) { batch[place].timesUsed = Int(count).flatMap { $0 >= 0 ? $0 : nil } }
  }

  /// A value of which nothing is not the same as "".
  private func nullable(_ meaning: LoginColumns.Meaning) -> String? {
    guard let index = columns.first(meaning), index < reader.fields.count else { return nil }
    return reader.isEmpty(index) && !reader.fields[index].isQuoted ? nil : reader.text(index)
  }

  private mutating func time(_ meaning: LoginColumns.Meaning) -> Timestamp? {
    guard let text = text(meaning), text != "0" else { return nil }
    if let time = CSVTime.read(text) { return time }
    warn("column \(meaning.word) holds no time that can be")
    return nil
  }

  private mutating func warnOfLeftOut(_ place: Int) {
    for meaning in columns.twins where columns.isContradictory(meaning, reader) {
      warn("two columns for \(meaning.word) differ; the first was taken")
    }
    for column in columns.leftOut where !reader.isEmpty(column.index) {
      if !["0", "false", "no"].contains(reader.text(column.index)) { leftOut.insert(column.index) }
    }
    if columns.isLastPass, !looksLikeHTML {
      looksLikeHTML = ["&amp;", "&lt;", "&gt;", "&quot;"].contains {
        batch[place].password.contains($0) || batch[place].username.contains($0)
      }
    }
  }

  /// Logins that differ in nothing but where their form is sent get numbers; the store judges all others that meet.
  private mutating func identify(_ place: Int) {
    let first = id(place, occurrence: 0)
    batch[place].id = first
    guard columns.hasColumn(.formAction) else { return }
    let form = batch[place].formAction
    var known = forms[first] ?? []
    if let index = known.firstIndex(of: form) {
      batch[place].occurrence = index
    } else {
      batch[place].occurrence = known.count
      known.append(form)
      forms[first] = known
    }
    let occurrence = batch[place].occurrence
    if occurrence > 0 { batch[place].id = id(place, occurrence: occurrence) }
  }

  private mutating func id(_ place: Int, occurrence: Int) -> RecordID {
    identity.becomeLogin(
      url: batch[place].url, httpRealm: batch[place].httpRealm, username: batch[place].username,
      occurrence: occurrence)
    return RecordID(hashing: identity)
  }
}
