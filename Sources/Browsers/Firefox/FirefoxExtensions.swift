internal import BrowsingData

/// Reads extensions.json: what the user installed, not what came with the browser.
struct FirefoxExtensions {
  private static let file = "extensions.json"
  private static let store = "https://addons.mozilla.org/"

  let profile: String?
  let application: Application

  /// How many there are.
  static func count(_ profile: String) throws(ProfileError) -> Int { try entries(profile).count }

  /// Their identifiers.
  static func identifiers(_ profile: String) throws(ProfileError) -> Set<String> {
    Set(try entries(profile).compactMap { $0["id"]?.string })
  }

  private static func entries(_ profile: String) throws(ProfileError) -> [JSONValue] {
    let document = try JSONValue.read(profile + "/" + file)
    return (document?["addons"]?.elements ?? []).filter {
      $0["type"]?.string == "extension" && $0["location"]?.string == "app-profile" && $0["id"]?.nonEmptyString != nil
    }
  }

  /// Hands over all of them.
  func read(_ folder: String, into consume: (RecordBatch) throws -> Void) throws {
    let extensions = try FirefoxExtensions.entries(folder).map(browserExtension)
    if !extensions.isEmpty { try consume(.extensions(extensions)) }
  }

  private func browserExtension(_ entry: JSONValue) -> BrowserExtension {
    let identifier = entry["id"]?.string ?? ""
    let locale = entry["defaultLocale"]
    var result = BrowserExtension(
      id: RecordID(hashing: .browserExtension(identifier: identifier, profile: profile)),
      name: locale?["name"]?.nonEmptyString ?? identifier, identifier: identifier)
    result.developer = locale?["creator"]?.nonEmptyString ?? locale?["developers"]?.elements.first?.nonEmptyString
    result.homepage = locale?["homepageURL"]?.nonEmptyString
    result.version = entry["version"]?.nonEmptyString
    result.enabled = entry["active"]?.bool
    if entry["sourceURI"]?.string?.hasPrefix(FirefoxExtensions.store) == true {
      result.store = "amo"
      result.storeIdentifier = identifier
    }
    result.profile = profile
    result.application = application
    return result
  }
}
