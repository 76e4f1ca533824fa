/// Reads profiles.ini, Firefox's list of its profiles.
struct FirefoxProfileList {
  /// The folder of the list.
  let folder: String
  /// Whose list it is.
  let browser: Browser

  /// The profiles that were used at least once. The default one is what an `[Install…]` section names: `Default=1`
  /// may stand at another, empty one.
  func profiles() -> [ProfileReference] {
    guard let bytes = try? ProfileFile.read(folder + "/profiles.ini") else { return [] }
    let sections = FirefoxProfileList.sections(String(decoding: bytes, as: UTF8.self))
    var found: [ProfileReference] = []
    var marked: String?
    for section in sections where section.name.hasPrefix("Profile") {
      guard let path = section.values["Path"] else { continue }
      let folder = section.values["IsRelative"] == "0" ? path : self.folder + "/" + path
      guard FirefoxProfile.isProfile(folder) else { continue }
      let name = section.values["Name"] ?? ProfileDiscovery.lastName(path)
      found.append(ProfileReference(browser: browser, name: name, path: folder, isDefault: false))
      if section.values["Default"] == "1" { marked = folder }
    }
    let installed = sections.filter { $0.name.hasPrefix("Install") }.compactMap { $0.values["Default"] }
    let chosen =
      installed.map { $0.hasPrefix("/") ? $0 : folder + "/" + $0 }.first { path in found.contains { $0.path == path } }
      ?? marked ?? found.first?.path
    for index in found.indices where found[index].path == chosen { found[index].isDefault = true }
    return found
  }

  private static func sections(_ text: String) -> [(name: String, values: [String: String])] {
    var sections: [(name: String, values: [String: String])] = []
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        sections.append((String(line[line.index(after: line.startIndex)..<end]), [:]))
      } else if let equals = line.firstIndex(of: "="), !sections.isEmpty {
        sections[sections.count - 1].values[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
    }
    return sections
  }

  /// Which browser last used a profile's folder, by what it noted itself; Firefox when it says nothing.
  static func browser(ofProfile path: String) -> Browser {
    guard let bytes = try? ProfileFile.read(path + "/compatibility.ini") else { return .firefox }
    let sections = sections(String(decoding: bytes, as: UTF8.self))
    let folder = sections.first { $0.name == "Compatibility" }?.values["LastPlatformDir"]?.lowercased() ?? ""
    return [Browser.librewolf, .waterfox].first { folder.contains($0.word) } ?? .firefox
  }
}
