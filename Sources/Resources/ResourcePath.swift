internal import Foundation

/// A path that came from elsewhere, vetted: it names something inside a container and nothing outside.
package struct ResourcePath: Hashable, Sendable {
  /// Why a path is refused.
  package enum Fault: String, Error, Sendable {
    /// It has no characters.
    case empty = "its path is empty"
    /// It begins with `/`.
    case absolute = "its path is absolute"
    /// A part is empty, `.` or `..`.
    case climbing = "its path climbs or has an empty part"
    /// A character would move a cursor or end a line.
    case control = "its path has a control character"
    /// A part takes more than 255 bytes.
    case long = "a part of its path is too long"
    /// It has more than 64 parts.
    case deep = "its path is too deep"
    /// A link leads out.
    case outside = "it points outside of the container"
  }

  /// Its parts, each in Unicode's composed form.
  package let parts: [String]

  private static let longestPart = 255
  private static let deepest = 64

  /// Vets a path.
  package init(_ path: String) throws(Fault) {
    guard !path.isEmpty else { throw .empty }
    guard !path.hasPrefix("/") else { throw .absolute }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= ResourcePath.deepest else { throw .deep }
    var vetted: [String] = []
    for part in parts {
      guard !part.isEmpty, part != ".", part != ".." else { throw .climbing }
      guard !part.unicodeScalars.contains(where: ResourcePath.isControl) else { throw .control }
      let composed =
        part.utf8.allSatisfy { $0 < 128 } ? String(part) : String(part).precomposedStringWithCanonicalMapping
      guard composed.utf8.count <= ResourcePath.longestPart else { throw .long }
      vetted.append(composed)
    }
    self.parts = vetted
  }

  /// The whole of it.
  package var text: String { parts.joined(separator: "/") }

  /// The same for two paths that a file system without upper and lower case would take for one.
  var folded: String { text.lowercased() }

  /// Checks that a link at this path stays inside: a relative target that climbs no higher than the container.
  package func checkTarget(_ target: String) throws(Fault) {
    guard !target.isEmpty, !target.hasPrefix("/") else { throw .outside }
    guard !target.unicodeScalars.contains(where: ResourcePath.isControl) else { throw .control }
    var depth = parts.count - 1
    for part in target.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { throw .outside }
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 32 || (127...159).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}
