/// Why files cannot be read, staged or put in place. Names our own doing, never a path of the app's.
package enum ResourceError: Error, Equatable, Sendable {
  /// There is no such folder or file.
  case notFound
  /// Another program uses the container, or another transfer does.
  case inUse
  /// The disk is full; nothing was half put in place.
  case full
  /// It may not be read or written.
  case denied
  /// The system refused; with what was being done and its words.
  case system(String, String)
  /// A manifest is not what it must be; with what is wrong, and where.
  case manifest(String)
  /// Pieces do not fit each other: the peer's fault.
  case malformed
  /// A file arrived otherwise than it was sent; it will be asked for again.
  case damaged
  /// A file has come damaged so often that it is no accident.
  case garbled
  /// Nothing was appended for too long.
  case hung
}
