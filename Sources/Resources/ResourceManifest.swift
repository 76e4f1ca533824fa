internal import Foundation
internal import Glibc

/// Which files of an app move, said in JSON for an app that nobody can change.
package struct ResourceManifest: Codable, Hashable, Sendable {
  /// The app, such as `org.mozilla.firefox`.
  package var id: String
  /// The version of the form of its files, in the app's words.
  package var version: String
  /// The folder that the paths are relative to: absolute, below `~`, or relative to the manifest's own folder.
  package var root: String?
  /// What moves: files and folders, the last part of each may hold `*` and `?`. What is not there is passed over.
  package var paths: [String]
  /// What does not: patterns; one without `/` fits the name of a thing at any depth.
  package var excludes: [String]?
  /// Whether compressing on the way is worth it; when it is not said, it is.
  package var compressible: Bool?

  /// With what cannot be absent.
  package init(id: String, version: String, root: String? = nil, paths: [String], excludes: [String]? = nil) {
    self.id = id
    self.version = version
    self.root = root
    self.paths = paths
    self.excludes = excludes
  }

  private static let longest = 1 << 20

  /// From a file.
  package init(file path: String) throws(ResourceError) {
    guard let data = FileManager.default.contents(atPath: path) else { throw .notFound }
    guard data.count <= ResourceManifest.longest else { throw .manifest("it is larger than 1 MiB") }
    do {
      self = try JSONDecoder().decode(ResourceManifest.self, from: data)
    } catch let error as DecodingError {
      throw .manifest(ResourceManifest.words(error))
    } catch {
      throw .manifest("it is no JSON")
    }
    try check()
    if var root {
      if root == "~" || root.hasPrefix("~/") { root = (root as NSString).expandingTildeInPath }
      if !root.hasPrefix("/") {
        let folder = (path as NSString).deletingLastPathComponent
        root = (folder.isEmpty ? "." : folder) + "/" + root
      }
      self.root = (root as NSString).standardizingPath
    }
  }

  private func check() throws(ResourceError) {
    for (name, value) in [("id", id), ("version", version)] {
      guard (1...200).contains(value.utf8.count) else { throw .manifest("\"\(name)\" is empty or too long") }
    }
    guard !paths.isEmpty else { throw .manifest("\"paths\" is empty") }
    for (index, path) in paths.enumerated() {
      do throws(ResourcePath.Fault) {
        _ = try ResourcePath(path.hasSuffix("/") ? String(path.dropLast()) : path)
      } catch {
        throw .manifest("\"paths\", number \(index + 1): \(error.rawValue)")
      }
    }
  }

  private static func words(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\"\(context.codingPath.first?.stringValue ?? "")\" is of another type"
    case .dataCorrupted: "it is no JSON"
    @unknown default: "it is no JSON"
    }
  }

  /// The files that it names now, in order; and about how much room they take.
  package func list() throws(ResourceError) -> (list: ResourceList, room: Int64) {
    guard let root else { throw .manifest("\"root\" is missing") }
    let list = ResourceList()
    var room: Int64 = 0
    for pattern in paths {
      let path = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
      for source in ResourceManifest.matches(root + "/" + path) {
        let inside = String(source.dropFirst(root.utf8.count + 1))
        try ResourceTree.append(source, as: inside, to: list) { isExcluded($0) }
        room += ResourceManifest.room(source)
      }
    }
    list.close()
    guard list.count > 0 else { throw .notFound }
    return (list, room)
  }

  private func isExcluded(_ path: String) -> Bool {
    (excludes ?? []).contains { pattern in
      let subject = pattern.contains("/") ? path : (path as NSString).lastPathComponent
      return fnmatch(pattern, subject, FNM_PATHNAME) == 0
    }
  }

  private static func matches(_ pattern: String) -> [String] {
    guard pattern.contains(where: { "*?".contains($0) }) else { return access(pattern, F_OK) == 0 ? [pattern] : [] }
    let folder = (pattern as NSString).deletingLastPathComponent
    let wanted = (pattern as NSString).lastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { fnmatch(wanted, $0, FNM_PERIOD) == 0 }.sorted().map { folder + "/" + $0 }
  }

  private static func room(_ source: String) -> Int64 {
    guard let below = FileManager.default.enumerator(atPath: source) else { return ResourceTree.roomTaken(source) }
    var sum = ResourceTree.roomTaken(source)
    for case let name as String in below { sum += ResourceTree.roomTaken(source + "/" + name) }
    return sum
  }
}
