/// Why a file could not be read or written. Holds places, sizes and names of members, never content of a record.
package enum FormatError: Error, Hashable, Sendable {
  /// Where in a file something is wrong.
  package enum Place: Hashable, Sendable {
    /// Nowhere in particular.
    case none
    /// A line, from 1.
    case line(Int)
    /// A byte offset, from 0.
    case byte(Int64)
    /// A place inside a member of an archive.
    indirect case member(String, Place)
  }

  /// No such file.
  case notFound
  /// The content is of no format that is known here, or not of the one that was asked for (named in words).
  case notThisFormat(String)
  /// It is that format but does not keep to it.
  case damaged(String, Place)
  /// It ends before it is complete.
  case truncated(Place)
  /// It is larger than any honest file; the text names the limit.
  case tooLarge(String, Place)
  /// The system refused: `errno` and what was being done.
  case system(code: Int32, String)

  /// The same error, said of a member of an archive; one that already names a member stays as it is.
  package func inMember(_ name: String) -> FormatError {
    switch self {
    case .notFound, .notThisFormat, .system: self
    case .damaged(let reason, let place): .damaged(reason, place.inMember(name))
    case .truncated(let place): .truncated(place.inMember(name))
    case .tooLarge(let limit, let place): .tooLarge(limit, place.inMember(name))
    }
  }
}

extension FormatError.Place {
  fileprivate func inMember(_ name: String) -> FormatError.Place {
    if case .member = self { return self }
    return .member(name, self)
  }
}

extension FormatError.Place: CustomStringConvertible {
  /// `line 3`, `byte 17`, `History.json, byte 17`; empty when no place is known.
  package var description: String {
    switch self {
    case .none: return ""
    case .line(let number): return "line \(number)"
    case .byte(let offset): return "byte \(offset)"
    case .member(let name, let place):
      let rest = place.description
      return rest.isEmpty ? name : "\(name), \(rest)"
    }
  }
}

extension FormatError: CustomStringConvertible {
  /// One sentence for people.
  package var description: String {
    switch self {
    case .notFound: "there is no such file"
    case .notThisFormat(let expected): "the file is not \(expected)"
    case .damaged(let reason, let place): FormatError.sentence(reason, place)
    case .truncated(let place): FormatError.sentence("it ends before it is complete", place)
    case .tooLarge(let limit, let place): FormatError.sentence("it is too large: \(limit)", place)
    case .system(let code, let doing): "\(doing): \(systemMessage(code))"
    }
  }

  private static func sentence(_ reason: String, _ place: Place) -> String {
    let place = place.description
    return place.isEmpty ? reason : "\(place): \(reason)"
  }
}
