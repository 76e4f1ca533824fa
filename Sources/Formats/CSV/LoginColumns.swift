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

  private var columns: [[Int]] = Array(repeating: [], count: Meaning.allCases.count)
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
      return bytes.text(bytes.trimmed(0..<bytes.count)).lowercased()
    }
    for meaning in Meaning.allCases {
      for name in meaning.names {
        for (index, found) in names.enumerated() where found == name { columns[meaning.rawValue].append(index) }
      }
    }
    guard hasColumn(.url), hasColumn(.username), hasColumn(.password) else { return nil }
    hasAddressLists = columns[Meaning.url.rawValue].first.map { names[$0] == "login_uri" } ?? false
    isLastPass = names.contains("grouping") && names.contains("extra")
    leftOut = names.enumerated().filter { LoginColumns.homeless.contains($0.element) }.map { ($0.offset, $0.element) }
  }

  /// The order of a table that 1Password 7 wrote without a header.
  static let onePasswordWithoutHeader: LoginColumns = {
    var columns = LoginColumns()
    columns.columns[Meaning.title.rawValue] = [3]
    columns.columns[Meaning.url.rawValue] = [5]
    columns.columns[Meaning.username.rawValue] = [6]
    columns.columns[Meaning.password.rawValue] = [2]
    return columns
  }()

  private init() {}

  /// Whether there is such a column.
  func hasColumn(_ meaning: Meaning) -> Bool { !columns[meaning.rawValue].isEmpty }

  /// The column of the first value that is not empty; nil when there is none.
  @inline(__always)
  func column(_ meaning: Meaning, _ row: CSVReader) -> Int? {
    for index in columns[meaning.rawValue] where !row.isEmpty(index) { return index }
    return nil
  }

  /// The only or first column of a meaning.
  func first(_ meaning: Meaning) -> Int? { columns[meaning.rawValue].first }

  /// Whether two columns of one meaning hold different values.
  func isContradictory(_ meaning: Meaning, _ row: CSVReader) -> Bool {
    let all = columns[meaning.rawValue]
    guard all.count > 1, let first = column(meaning, row) else { return false }
    return all.contains { !row.isEmpty($0) && row.text($0) != row.text(first) }
  }
}
