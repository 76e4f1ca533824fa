/// The profiles in a Chromium user data folder, by its `Local State`.
struct ChromiumProfileList {
  /// The user data folder.
  let folder: String
  /// Whose it is.
  let browser: Browser

  /// Its profiles by the names of their folders. The default one is `Default`, whichever was used last: records of the
  /// default profile carry no profile, and that must not change from day to day.
  func profiles() -> [ProfileReference] {
    let state = try? JSONValue.read(folder + "/Local State")
    var listed = state?["profile"]?["info_cache"]?.members ?? [:]
    // A list that is missing or damaged: what the browser calls its profiles.
    if listed.isEmpty {
      for name in ProfileFile.names(in: folder) where name == "Default" || name.hasPrefix("Profile ") {
        listed[name] = .null
      }
    }
    var found: [ProfileReference] = []
    // A name from the list is a folder here, never a path to elsewhere.
    for (name, entry) in listed.sorted(by: { $0.key < $1.key }) where !name.contains("/") && name != ".." {
      guard ChromiumProfile.isProfile(folder + "/" + name) else { continue }
      found.append(
        ProfileReference(
          browser: browser, name: name, title: entry["name"]?.nonEmptyString, path: folder + "/" + name,
          isDefault: name == "Default"))
    }
    // Opera's only profile is the folder itself.
    if found.isEmpty, ChromiumProfile.isProfile(folder) {
      found.append(ProfileReference(browser: browser, name: "Default", path: folder, isDefault: true))
    }
    if !found.isEmpty, !found.contains(where: \.isDefault) { found[0].isDefault = true }
    return found
  }
}
