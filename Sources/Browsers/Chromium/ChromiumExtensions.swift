internal import BrowsingData

/// Reads the extensions of a Chromium profile from its preferences: what the user installed, not what came with the
/// browser or from an administrator.
struct ChromiumExtensions {
  /// Where an extension came from: the store, another program, a folder of the user's.
  private static let ownLocations: Set<Int64> = [1, 2, 3, 4, 6]

  let profile: String?
  let application: Application

  /// How many there are.
  static func count(_ folder: ProfileFolder) throws(ProfileError) -> Int { try entries(folder).count }

  /// The identifiers of those that are installed.
  static func identifiers(_ folder: ProfileFolder) throws(ProfileError) -> Set<String> {
    Set(try entries(folder).map(\.id))
  }

  private static func entries(_ folder: ProfileFolder) throws(ProfileError) -> [(id: String, entry: JSONValue)] {
    var found: [String: JSONValue] = [:]
    for file in ["Preferences", "Secure Preferences"] {
      let settings = try JSONValue.read(folder.path + "/" + file)?["extensions"]?["settings"]
      found.merge((settings?.members ?? [:]).filter { isOwn($0.value) }) { _, later in later }
    }
    return found.sorted { $0.key < $1.key }.map { (id: $0.key, entry: $0.value) }
  }

  /// A removed one leaves an empty object; themes and apps are no extensions.
  private static func isOwn(_ entry: JSONValue) -> Bool {
    guard let location = entry["location"]?.integer, ownLocations.contains(location) else { return false }
    return entry["was_installed_by_default"]?.bool != true && entry["manifest"]?["theme"] == nil
      && entry["manifest"]?["app"] == nil
  }

  /// Hands over all of them.
  func read(_ folder: ProfileFolder, into consume: (RecordBatch) throws -> Void) throws {
    var extensions: [BrowserExtension] = []
    for (id, entry) in try ChromiumExtensions.entries(folder) {
      extensions.append(try browserExtension(id, entry, folder))
    }
    if !extensions.isEmpty { try consume(.extensions(extensions)) }
  }

  private func browserExtension(
    _ id: String, _ entry: JSONValue, _ folder: ProfileFolder
  ) throws(ProfileError) -> BrowserExtension {
    let place = ChromiumExtensions.place(entry, folder)
    var manifest = entry["manifest"]
    if manifest == nil, let place { manifest = try? JSONValue.read(place + "/manifest.json") }
    var result = BrowserExtension(
      id: RecordID(hashing: .browserExtension(identifier: id, profile: profile)),
      name: ChromiumExtensions.name(manifest, place) ?? id, identifier: id)
    result.developer = manifest?["author"]?.nonEmptyString ?? manifest?["author"]?["email"]?.nonEmptyString
    result.version = manifest?["version"]?.nonEmptyString
    result.homepage = manifest?["homepage_url"]?.nonEmptyString
    result.enabled = ChromiumExtensions.isEnabled(entry)
    if entry["from_webstore"]?.bool == true {
      result.store = "chrome-web-store"
      result.storeIdentifier = id
    }
    result.profile = profile
    result.application = application
    return result
  }

  private static func isEnabled(_ entry: JSONValue) -> Bool {
    switch entry["disable_reasons"] {
    case .array(let reasons)?: reasons.isEmpty
    case .integer(let reasons)?: reasons == 0
    case .bool?, .number?, .string?, .object?, .null?, nil: entry["state"]?.integer != 0
    }
  }

  /// The extension's folder; nil when its path leads anywhere else.
  private static func place(_ entry: JSONValue, _ folder: ProfileFolder) -> String? {
    guard let path = entry["path"]?.nonEmptyString, !path.split(separator: "/").contains("..") else { return nil }
    return path.hasPrefix("/") ? path : folder.path + "/Extensions/" + path
  }

  /// Its name; `__MSG_x__` stands for a text of its default language.
  private static func name(_ manifest: JSONValue?, _ place: String?) -> String? {
    guard let name = manifest?["name"]?.nonEmptyString else { return nil }
    guard name.hasPrefix("__MSG_"), name.hasSuffix("__"), name.count > 8 else { return name }
    let key = name.dropFirst(6).dropLast(2).lowercased()
    guard let place, let language = manifest?["default_locale"]?.nonEmptyString, !language.contains("/"),
      let messages = try? JSONValue.read(place + "/_locales/\(language)/messages.json")
    else { return nil }
    return messages.members.first { $0.key.lowercased() == key }?.value["message"]?.nonEmptyString
  }
}
