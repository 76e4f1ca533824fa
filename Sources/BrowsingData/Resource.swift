/// One thing of an app's files: a file, a folder or a link, with its path inside the app's container.
public struct ResourceEntry: Hashable, Sendable {
  /// What it is. The raw value is the wire's number.
  public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
    /// A file with bytes.
    case file = 1
    /// A folder; sent for itself only when it is empty.
    case folder = 2
    /// A symbolic link.
    case link = 3
  }
  /// Relative to the container, parts divided by `/`. As the source wrote it: whoever receives it must vet it.
  public var path: String
  /// What it is.
  public var kind: Kind
  /// A file's bytes; else 0.
  public var size: Int64
  /// The permission bits.
  public var mode: UInt16
  /// When its content was last changed.
  public var modifiedAt: Timestamp
  /// Where a link points, as it is written there.
  public var target: String?

  /// With what cannot be absent; the rest is set afterwards.
  public init(path: String, kind: Kind, size: Int64 = 0, mode: UInt16 = 0o644, modifiedAt: Timestamp) {
    self.path = path
    self.kind = kind
    self.size = size
    self.mode = mode
    self.modifiedAt = modifiedAt
  }

  /// How many places of the log it takes: one for itself, for a file one for each byte and one for its digest, too.
  public var length: Int64 { kind == .file ? size &+ 2 : 1 }
}

/// A piece of the log of resources. Its place is the sum of the lengths before it: so a cursor names a byte of a file.
public enum ResourcePiece: Hashable, Sendable {
  /// A thing begins.
  case entry(ResourceEntry)
  /// The next bytes of the file, at most 128 KiB.
  case bytes([UInt8])
  /// So many bytes that are zero.
  case zeros(Int64)
  /// The digest of the whole file, 32 bytes (Protocol.md says of what): it is complete.
  case digest([UInt8])
  /// The file changed while it was read: what came of it is void, these places are passed over. It comes again.
  case abandoned(Int64)

  /// How many places it takes.
  public var length: Int64 {
    switch self {
    case .entry, .digest: 1
    case .bytes(let bytes): Int64(bytes.count)
    case .zeros(let count), .abandoned(let count): count
    }
  }
}
