/// Fields that a newer peer sent and this version does not know: kept and given back, byte for byte.
public struct UnknownFields: Hashable, Sendable {
  /// One field: its odd number on the wire and its value.
  public struct Field: Hashable, Sendable {
    /// Its odd number on the wire.
    public var number: UInt64
    /// Its value.
    public var value: [UInt8]
    /// With what cannot be absent; the rest is set afterwards.
    public init(number: UInt64, value: [UInt8]) {
      self.number = number
      self.value = value
    }
  }

  /// In ascending order of their numbers.
  public var fields: [Field] = []
  /// An empty one.
  @inlinable public init() {}
  /// From fields in any order.
  public init(_ fields: [Field]) { self.fields = fields.sorted { $0.number < $1.number } }
  /// Whether there are none.
  public var isEmpty: Bool { fields.isEmpty }
}
