/// Where records come from: a profile, a file, a store. Synchronous, single pass, bounded memory.
public protocol RecordSource {
  /// The kinds it holds or can hold.
  var types: DataTypes { get }
  /// How many records of each kind there are, as exactly as it can tell without reading everything.
  func counts() throws -> RecordCounts
  /// The same of these kinds alone, where counting fewer costs less.
  func counts(of types: DataTypes) throws -> RecordCounts
  /// Hands over every record of these kinds, kind after kind in the order of `DataType`; stops when `consume` throws.
  /// May be called several times and then gives the same records with the same ids (but for cards, whose ids are random).
  func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws
}

extension RecordSource {
  /// Counts all and gives those of these kinds.
  public func counts(of types: DataTypes) throws -> RecordCounts {
    RecordCounts(try counts().byType.filter { types.contains($0.key) })
  }
}

/// Where records go to: a file, a profile. `finish` or `abandon` is called once, at the end.
public protocol RecordSink {
  /// The kinds it can hold at all.
  var types: DataTypes { get }
  /// Takes a batch: bookmarks with parents before children, history as `.history`.
  mutating func write(_ batch: RecordBatch) throws
  /// Makes everything durable and visible at once, and says what could not be held.
  mutating func finish() throws -> [Loss]
  /// Leaves everything as it was before.
  mutating func abandon()
}

/// How many records of each kind.
public struct RecordCounts: Hashable, Sendable {
  /// The numbers by kind; none is 0.
  public var byType: [DataType: Int] = [:]
  /// With what cannot be absent; the rest is set afterwards.
  public init(_ byType: [DataType: Int] = [:]) { self.byType = byType }
  /// The number of one kind.
  public subscript(_ type: DataType) -> Int {
    get { byType[type] ?? 0 }
    set { byType[type] = newValue }
  }
}

/// A field that a destination cannot hold, and for how many records.
public struct Loss: Hashable, Sendable {
  /// The kind of record.
  public var type: DataType
  /// The field's name in records.md.
  public var field: String
  /// For how many records.
  public var count: Int
  /// Why, in words.
  public var why: String
  /// With what cannot be absent; the rest is set afterwards.
  public init(type: DataType, field: String, count: Int, why: String) {
    self.type = type
    self.field = field
    self.count = count
    self.why = why
  }
}
