internal import BrowsingData
internal import Crypto

/// logins.json while it is edited: what it holds beside the logins stays as it is.
struct FirefoxLoginFile {
  private var document: JSONValue
  private var entries: [JSONValue]
  /// Milliseconds since 1970.
  private let now: Int64
  /// Whether an edit changed it.
  private(set) var hasChanged = false

  /// Reads the file of a profile; a profile without one has no login.
  init(profile: String, now: Timestamp) throws(ProfileError) {
    self.now = now.microseconds / 1_000
    let read = try JSONValue.read(profile + "/" + FirefoxLogins.file)
    document =
      read ?? .object(["nextId": .integer(1), "potentiallyVulnerablePasswords": .array([]), "version": .integer(3)])
    let version = document["version"]?.integer ?? 3
    guard read == nil || document["logins"] != nil, (1...3).contains(version) else {
      throw .unsupportedSchema(file: FirefoxLogins.file, version: version, reason: "versions 1 to 3 can be written")
    }
    entries = document["logins"]?.elements ?? []
  }

  /// Whether there is a login to open.
  var isEmpty: Bool { !entries.contains(where: FirefoxLogins.isLogin) }

  /// The bytes of the file as it shall be.
  var bytes: [UInt8] { document.setting("logins", .array(entries)).bytes }

  /// Every login that opens.
  func held(_ keys: FirefoxKeys, _ application: Application) -> [Held<Login>] {
    var numbering = LoginNumbering()
    let reader = FirefoxLogins(keys: keys, profile: nil, application: application)
    return entries.filter(FirefoxLogins.isLogin).compactMap { entry in
      guard let guid = entry["guid"]?.nonEmptyString, let login = try? reader.login(entry, guid: guid) else {
        return nil
      }
      return Held(guid, numbering.numbered(login))
    }
  }

  /// Carries out edits.
  mutating func apply(_ edits: ItemEdits<Login>, _ keys: FirefoxKeys) throws(ProfileError) -> EditResult {
    var result = EditResult()
    var places: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      if let guid = entry["guid"]?.string { places[guid] = index }
    }
    var nextID = max(document["nextId"]?.integer ?? 1, (entries.compactMap { $0["id"]?.integer }.max() ?? 0) &+ 1)
    for held in edits.insertions {
      guard places[held.foreignID] == nil else {
        result.refused[held.foreignID] = "its id is taken"
        continue
      }
      var entry = JSONValue.object(["id": .integer(nextID), "guid": .string(held.foreignID)])
      nextID &+= 1
      try write(held.item, into: &entry, nil, keys)
      entries.append(entry)
      hasChanged = true
    }
    for held in edits.updates {
      guard let place = places[held.foreignID] else {
        result.refused[held.foreignID] = "it is no longer there"
        continue
      }
      let known = try? FirefoxLogins(keys: keys, profile: nil, application: held.item.application ?? Self.unknown)
        .login(entries[place], guid: held.foreignID)
      try write(held.item, into: &entries[place], known, keys)
      hasChanged = true
    }
    if !edits.removals.isEmpty { remove(edits.removals) }
    document = document.setting("nextId", .integer(nextID))
    return result
  }

  private static let unknown = Application(id: "", name: "")

  private mutating func remove(_ guids: Set<String>) {
    entries = entries.compactMap { entry in
      guard let guid = entry["guid"]?.string, guids.contains(guid), FirefoxLogins.isLogin(entry) else { return entry }
      hasChanged = true
      guard entry["everSynced"]?.bool == true else { return nil }
      // Sync must tell other devices.
      return .object([
        "id": entry["id"] ?? .integer(0), "guid": .string(guid), "deleted": .bool(true), "everSynced": .bool(true),
        "syncCounter": .integer((entry["syncCounter"]?.integer ?? 0) &+ 1), "timePasswordChanged": .integer(now),
      ])
    }
  }

  private func write(
    _ login: Login, into entry: inout JSONValue, _ known: Login?, _ keys: FirefoxKeys
  ) throws(ProfileError) {
    var members = entry.members
    let origin = login.origin
    if known == nil || members["hostname"]?.string != origin { members["hostname"] = .string(origin) }
    members["httpRealm"] = login.httpRealm.map { .string($0) } ?? .null
    members["formSubmitURL"] = login.httpRealm == nil ? .string(login.formAction ?? "") : .null
    do throws(CryptoError) {
      if known?.username != login.username { members["encryptedUsername"] = try sealed(login.username, keys) }
      if known?.password != login.password { members["encryptedPassword"] = try sealed(login.password, keys) }
      if known == nil { members["encryptedUnknownFields"] = try sealed("", keys) }
    } catch {
      throw .unwritable(file: FirefoxLogins.file, reason: "a login could not be encrypted")
    }
    let created = milliseconds(login.dateCreated)
    set("timeCreated", created, in: &members, orElse: now)
    set("timePasswordChanged", milliseconds(login.datePasswordChanged) ?? created, in: &members, orElse: now)
    set("timeLastUsed", milliseconds(login.dateLastUsed) ?? created, in: &members, orElse: now)
    set("timesUsed", login.timesUsed.map { Int64($0) }, in: &members, orElse: 1)
    let counter = members["syncCounter"]?.integer ?? 0
    members["syncCounter"] = .integer(counter &+ 1)
    for (name, value) in FirefoxLoginFile.defaults where members[name] == nil { members[name] = value }
    entry = .object(members)
  }

  private static let defaults: [(String, JSONValue)] = [
    ("usernameField", .string("")), ("passwordField", .string("")), ("encType", .integer(1)),
    ("timeLastBreachAlertDismissed", .integer(0)), ("everSynced", .bool(false)),
  ]

  private func set(_ name: String, _ value: Int64?, in members: inout [String: JSONValue], orElse other: Int64) {
    if let value { members[name] = .integer(value) } else if members[name] == nil { members[name] = .integer(other) }
  }

  private func sealed(_ text: String, _ keys: FirefoxKeys) throws(CryptoError) -> JSONValue {
    try keys.sealLoginField(text).map { .string($0) } ?? .null
  }

  private func milliseconds(_ time: Timestamp?) -> Int64? { time.map { $0.microseconds / 1_000 } }

  // MARK: - What Firefox can hold

  /// A login as Firefox would hold it.
  static func fit(_ login: Login) -> Fitting<Login> {
    guard let address = PageAddress.normalized(login.url), let colon = address.firstIndex(of: ":"),
      address[colon...].hasPrefix("://")
    else { return .refused(reason: "its address is none of a web site") }
    if address[..<colon] == "android" {
      return .lost(FieldLoss("login", "Firefox keeps logins of web sites only, none of apps"))
    }
    guard !login.password.isEmpty else { return .refused(reason: "Firefox takes no login without a password") }
    guard !(login.username + login.password).unicodeScalars.contains("\0"),
      !(login.httpRealm ?? "").unicodeScalars.contains(where: { $0 == "\0" || $0 == "\n" || $0 == "\r" })
    else { return .refused(reason: "it holds characters that Firefox does not take") }
    var result = Login(
      id: login.id, url: Origin.of(address), username: login.username, password: login.password)
    result.httpRealm = login.httpRealm
    if login.httpRealm == nil {
      result.formAction = login.formAction.map { PageAddress.normalized($0).map(Origin.of) ?? "" } ?? ""
    }
    result.dateCreated = login.dateCreated.map(wholeMilliseconds)
    result.dateLastUsed = login.dateLastUsed.map(wholeMilliseconds)
    result.datePasswordChanged = login.datePasswordChanged.map(wholeMilliseconds)
    result.timesUsed = login.timesUsed
    result.occurrence = login.occurrence
    result.guid = login.guid
    result.profile = login.profile
    result.application = login.application
    return .held(result, losses: losses(of: login, address))
  }

  private static func wholeMilliseconds(_ time: Timestamp) -> Timestamp {
    Timestamp(microseconds: time.microseconds / 1_000 * 1_000)
  }

  private static func losses(of login: Login, _ address: String) -> [FieldLoss] {
    var losses: [FieldLoss] = []
    let origin = Origin.of(address)
    if address != origin, address != origin + "/" {
      losses.append(FieldLoss("url", "Firefox keeps the origin of a login's address alone"))
    }
    if login.title?.isEmpty == false { losses.append(FieldLoss("title", "a login of Firefox has no title")) }
    if login.notes?.isEmpty == false { losses.append(FieldLoss("notes", "a login of Firefox has no notes")) }
    if login.otpauth?.isEmpty == false {
      losses.append(FieldLoss("otpauth", "Firefox makes no one-time passwords"))
    }
    if !login.urls.isEmpty { losses.append(FieldLoss("urls", "a login of Firefox has one address")) }
    return losses
  }
}
