/// Reads the few forms of DER that NSS writes. Every method gives nil where the bytes are not what is asked for.
struct DERReader {
  /// The tags in use.
  enum Tag: UInt8 {
    case integer = 0x02
    case octets = 0x04
    case object = 0x06
    case sequence = 0x30
  }

  private var rest: ArraySlice<UInt8>

  /// Over an encoding, or the contents of one.
  init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

  /// The contents of the next element when it has this tag.
  mutating func read(_ tag: Tag) -> [UInt8]? {
    guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
    var count = Int(first)
    if first & 0x80 != 0 {
      count = 0
      guard (1...4).contains(first & 0x7F) else { return nil }
      for _ in 0..<(first & 0x7F) {
        guard let byte = rest.popFirst() else { return nil }
        count = count << 8 | Int(byte)
      }
    }
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// The contents of the next sequence.
  mutating func sequence() -> DERReader? { read(.sequence).map { DERReader($0) } }

  /// The next integer, when it is small and not negative.
  mutating func integer() -> Int? {
    guard let bytes = read(.integer), (1...4).contains(bytes.count), bytes[0] < 0x80 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
