/// Which column of a password table means what, told by its header, whichever program wrote it.
struct LoginColumns {
  /// What a column can mean.
  enum Meaning: Int, CaseIterable {
    case url
    case username
    case password
    case title
    case notes
    case otpauth
    case httpRealm
    case formAction
    case guid
    case created
    case lastUsed
    case passwordChanged
    case timesUsed
    case kind

    /// The names of such columns in lower case, the most telling first.
    var names: [String] {
      switch self {
      case .url: ["url", "website", "origin", "hostname", "login_uri"]
      case .username: ["username", "user", "login", "account", "login_username", "username2", "username3"]
      case .password: ["password", "login_password"]
      case .title: ["title", "name"]
      case .notes: ["note", "notes", "comment", "comments", "extra"]
      case .otpauth: ["otpauth", "totp", "login_totp", "otpsecret"]
      case .httpRealm: ["httprealm"]
      case .formAction: ["formactionorigin", "formsubmiturl"]
      case .guid: ["guid"]
      case .created: ["timecreated", "created"]
      case .lastUsed: ["timelastused"]
      case .passwordChanged: ["timepasswordchanged", "last modified"]
      case .timesUsed: ["timesused"]
      case .kind: ["type"]
      }
    }

    /// What a report calls the column.
    var word: String { names[0] }
  }

  /// Columns that logins have no place for, by the names that programs give them.
  private static let homeless: Set<String> = [
    "folder", "grouping", "group", "category", "collections", "favorite", "fav", "archived", "tags", "fields",
    "reprompt",
    "icon",
  ]

  /// For each meaning its columns, one after the other in `indices`.
  private var places: [Range<Int>] = Array(repeating: 0..<0, count: Meaning.allCases.count)
  private var indices: [Int] = []
  /// For each meaning its column when it has just one, -1 when it has none, -2 when it has several.
  private var only: [Int32] = Array(repeating: -1, count: Meaning.allCases.count)
  /// Meanings that several columns have, and that a person should be told of.
  private(set) var twins: [Meaning] = []
  /// Whether there are columns beyond those that every program writes.
  private(set) var hasFirefoxFields = false
  /// Whether the addresses may be several in one value (Bitwarden).
  private(set) var hasAddressLists = false
  /// Whether the values may be written as HTML (LastPass).
  private(set) var isLastPass = false
  /// Columns whose values are left out: index and name.
  private(set) var leftOut: [(index: Int, name: String)] = []

  /// From a header; nil when it has no columns for the address, the user name and the password.
  init?(header: [String]) {
    let names = header.map { name -> String in
      let bytes = Array(name.utf8)
      var range = bytes.trimmed(0..<bytes.count)
      // A blank before a quote makes the quote part of the name.
      if range.count > 1, bytes[range.lowerBound] == 0x22, bytes[range.upperBound - 1] == 0x22 {
        range = bytes.trimmed((range.lowerBound + 1)..<(range.upperBound - 1))
      }
      return bytes.text(range).lowercased()
    }
    for meaning in Meaning.allCases {
      for name in meaning.names {
        for (index, found) in names.enumerated() where found == name { add(index, to: meaning) }
      }
    }
    guard hasColumn(.url), hasColumn(.username), hasColumn(.password) else { return nil }
    hasAddressLists = first(.url).map { names[$0] == "login_uri" } ?? false
    twins = [.url, .username, .password, .title, .notes, .otpauth].filter { places[$0.rawValue].count > 1 }
    hasFirefoxFields = [
      Meaning.httpRealm, .formAction, .guid, .created, .lastUsed, .passwordChanged, .timesUsed,
    ].contains { hasColumn($0) }
    isLastPass = names.contains("grouping") && names.contains("extra")
    leftOut = names.enumerated().filter { LoginColumns.homeless.contains($0.element) }.map { ($0.offset, $0.element) }
  }

  /// The order of a table that 1Password 7 wrote without a header.
  static let onePasswordWithoutHeader: LoginColumns = {
    var columns = LoginColumns()
    columns.add(3, to: .title)
    columns.add(5, to: .url)
    columns.add(6, to: .username)
    columns.add(2, to: .password)
    return columns
  }()

  private init() {}

  /// A further column of a meaning. Meanings come one after the other.
  private mutating func add(_ index: Int, to meaning: Meaning) {
    let start = places[meaning.rawValue].isEmpty ? indices.count : places[meaning.rawValue].lowerBound
    indices.append(index)
    places[meaning.rawValue] = start..<indices.count
    only[meaning.rawValue] = indices.count - start == 1 ? Int32(truncatingIfNeeded: index) : -2
  }

  /// Whether there is such a column.
  @inline(__always)
  func hasColumn(_ meaning: Meaning) -> Bool { only[meaning.rawValue] != -1 }

  /// The column of the first value that is not empty; nil when there is none.
  @inline(__always)
  func column(_ meaning: Meaning, _ row: borrowing CSVRow) -> Int? {
    let only = Int(only[meaning.rawValue])
    if only >= -1 { return only < 0 || row.isEmpty(only) ? nil : only }
    return firstFilled(meaning, row)
  }

  private func firstFilled(_ meaning: Meaning, _ row: borrowing CSVRow) -> Int? {
    for place in places[meaning.rawValue] where !row.isEmpty(indices[place]) { return indices[place] }
    return nil
  }

  /// The only or first column of a meaning.
  func first(_ meaning: Meaning) -> Int? { places[meaning.rawValue].first.map { indices[$0] } }

  /// Whether two columns of one meaning hold different values.
  func isContradictory(_ meaning: Meaning, _ row: borrowing CSVRow) -> Bool {
    guard let first = column(meaning, row) else { return false }
    let text = row.text(first)
    for place in places[meaning.rawValue] where !row.isEmpty(indices[place]) && row.text(indices[place]) != text {
      return true
    }
    return false
  }
}
