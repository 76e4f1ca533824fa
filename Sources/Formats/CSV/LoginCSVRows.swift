internal import BrowsingData

/// Makes logins of the rows of a password table.
struct LoginCSVRows: ~Copyable {
  private var reader: CSVReader
  private let columns: LoginColumns
  private var remarks: [Remark] = []
  /// Where the forms of logins with the same origin, realm and user are sent: what tells them apart.
  private var forms: [RecordID: [String?]] = [:]
  private var leftOut: Set<Int> = []
  private var looksLikeHTML = false
  private var isAtEnd = false

  /// Few enough that the room for them is below what the allocator tidies up after.
  private static let batchCount = 128

  /// Over the rows after the header.
  init(_ reader: consuming CSVReader, _ columns: LoginColumns) {
    self.reader = reader
    self.columns = columns
  }

  /// The next batch; nil after the last one.
  mutating func next() throws(FormatError) -> RecordBatch? {
    var failure: FormatError?
    // Logins are made where they stay: they are large, and copying one counts all of its strings.
    let batch = [Login](unsafeUninitializedCapacity: LoginCSVRows.batchCount) { room, count in
      guard let start = room.baseAddress else { return }
      do throws(FormatError) {
        while !isAtEnd, count < LoginCSVRows.batchCount, remarks.count < LoginCSVRows.batchCount {
          if try reader.next() {
            if takeRow(start + count) { count += 1 }
          } else {
            isAtEnd = true
            warnAtEnd()
          }
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if !batch.isEmpty { return .logins(batch) }
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

  /// Makes a login of the row, at a place that holds none yet; false when the row is none.
  private mutating func takeRow(_ place: UnsafeMutablePointer<Login>) -> Bool {
    guard isReadable() else { return false }
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
    let username = text(.username) ?? ""
    place.initialize(
      to: Login(id: .other, url: url, username: username, password: password.map { reader.text($0) } ?? ""))
    if !more.isEmpty { place.pointee.urls = more }
    place.pointee.title = text(.title)
    if let notes = text(.notes) { place.pointee.notes = notes }
    if let otp { readOTP(reader.text(otp), into: &place.pointee) }
    if columns.hasFirefoxFields { readFirefoxFields(into: &place.pointee) }
    warnOfLeftOut(place.pointee.username, place.pointee.password)
    identify(&place.pointee)
    return true
  }

  /// Whether the row can be read and is a login.
  private mutating func isReadable() -> Bool {
    let trouble = reader.trouble
    if !trouble.isEmpty {
      if trouble.contains(.nul) { return skip("a NUL in a value") }
      if trouble.contains(.unclosedQuote) { return skip("a quote is never closed") }
      if trouble.contains(.longField) { return skip("a value of more than 1 MiB") }
      let word = trouble.contains(.strayQuote) ? "a quote that opens nothing" : "text after a closing quote"
      warn(word + " was taken as part of the value")
    }
    if columns.hasColumn(.kind), let kind = columns.column(.kind, reader), !reader.isWord(kind, "login") {
      return skip("no login: its type is another one")
    }
    return true
  }

  @inline(__always)
  private func text(_ meaning: LoginColumns.Meaning) -> String? {
    guard let index = columns.column(meaning, reader) else { return nil }
    return reader.text(index)
  }

  private mutating func readOTP(_ value: String, into login: inout Login) {
    guard let address = OneTimePassword.address(value, title: login.title) else { return }
    login.otpauth = address.text
    if !address.isValid { warn("the one-time-password address may not work; it was kept as it is") }
  }

  private mutating func readFirefoxFields(into login: inout Login) {
    let formAction = nullable(.formAction)
    let httpRealm = nullable(.httpRealm)
    // A table that quotes everything has "" for nothing: where there is a form there is no realm.
    let isNone = httpRealm?.isEmpty == true && formAction?.isEmpty == false
    login.httpRealm = isNone ? nil : httpRealm
    login.formAction = formAction
    login.guid = text(.guid)
    login.dateCreated = time(.created)
    login.dateLastUsed = time(.lastUsed)
    login.datePasswordChanged = time(.passwordChanged)
    if let count = text(.timesUsed) { login.timesUsed = Int(count).flatMap { $0 >= 0 ? $0 : nil } }
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

  private mutating func warnOfLeftOut(_ username: String, _ password: String) {
    for meaning in columns.twins where columns.isContradictory(meaning, reader) {
      warn("two columns for \(meaning.word) differ; the first was taken")
    }
    for column in columns.leftOut where !reader.isEmpty(column.index) {
      if !["0", "false", "no"].contains(reader.text(column.index)) { leftOut.insert(column.index) }
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
    guard columns.hasColumn(.formAction) else { return }
    let form = login.formAction
    var known = forms[first] ?? []
    if let index = known.firstIndex(of: form) {
      login.occurrence = index
    } else {
      login.occurrence = known.count
      known.append(form)
      forms[first] = known
    }
    if login.occurrence > 0 { login.id = id(login, occurrence: login.occurrence) }
  }

  private func id(_ login: Login, occurrence: Int) -> RecordID {
    RecordID.login(url: login.url, httpRealm: login.httpRealm, username: login.username, occurrence: occurrence)
  }
}
