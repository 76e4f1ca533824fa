/// What can be wrong with what a peer sends, by whose fault it is.
package enum WireError: Error, Hashable, Sendable {
  /// Why bytes do not parse.
  package enum Malformation: Hashable, Sendable {
    /// A frame is shorter than its header or longer than the limit.
    case frameSize
    /// A flag that does not exist, or not now.
    case flags
    /// Not one zstd frame with its size, or a size above the limit.
    case compression
    /// It ends too early.
    case truncated
    /// A number that is longer than it need be, or does not fit.
    case varint
    /// Fields are not in strictly ascending order.
    case order
    /// Too many fields, or maps too deep.
    case depth
    /// Bytes after the end of a value.
    case trailing
    /// A field that must be there is not.
    case missing
    /// A value outside its range, or text that is not UTF-8.
    case value
    /// An even field or message that this version does not know.
    case unknownCritical
    /// More records or bytes than a batch or list may have.
    case limit
    /// Sequence numbers that do not ascend from the batch's first to its last.
    case sequence
  }
  /// It does not parse.
  case malformed(Malformation)
  /// It parses, but may not come now.
  case misbehaved(ErrorCode)
  /// The two have nothing in common.
  case incompatible(ErrorCode)
  /// The peer says that it failed.
  case peerFailed(ErrorCode)

  /// What to tell the peer.
  package var code: ErrorCode {
    switch self {
    case .malformed(let why):
      switch why {
      case .frameSize: .frameSize
      case .unknownCritical: .unknownCritical
      case .limit: .limit
      case .flags, .compression, .truncated, .varint, .order, .depth, .trailing, .missing, .value, .sequence:
        .malformed
      }
    case .misbehaved(let code), .incompatible(let code), .peerFailed(let code): code
    }
  }
}
