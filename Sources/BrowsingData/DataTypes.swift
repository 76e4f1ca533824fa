/// One kind of record. The raw value is the wire's number and the order in which a transfer sends the kinds.
public enum DataType: UInt8, CaseIterable, Sendable, Hashable, Comparable {
  /// Bookmarks, folders and separators.
  case bookmarks = 1
  /// Pages to be read later.
  case readingList = 2
  /// Extensions: their names, never their code.
  case extensions = 3
  /// Logins. Secret.
  case passwords = 4
  /// Payment cards. Secret.
  case cards = 5
  /// Visits.
  case history = 6
  /// Files of an app: never in the store, chosen only by a manifest.
  case resources = 8

  /// The six kinds that live in a store.
  public static let stored: [DataType] = [.bookmarks, .readingList, .extensions, .passwords, .cards, .history]

  /// The word of the command line and of `--json`.
  public var name: String {
    switch self {
    case .bookmarks: "bookmarks"
    case .readingList: "reading-list"
    case .extensions: "extensions"
    case .passwords: "passwords"
    case .cards: "cards"
    case .history: "history"
    case .resources: "resources"
    }
  }

  /// The kind with this word, nil when there is none.
  public init?(name: String) {
    guard let found = DataType.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Whether its records hold secrets, which move only when a person says so.
  public var isSecret: Bool { self == .passwords || self == .cards }

  /// Whether it comes before the other.
  public static func < (left: DataType, right: DataType) -> Bool { left.rawValue < right.rawValue }
}

/// A set of kinds of records.
public struct DataTypes: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32
  /// From its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// From its bits.
  public init(_ type: DataType) { rawValue = 1 << UInt32(type.rawValue) }
  /// The set of these kinds.
  public init(_ types: some Sequence<DataType>) { self = types.reduce(into: []) { $0.formUnion(DataTypes($1)) } }

  /// Bookmarks.
  public static let bookmarks = DataTypes(.bookmarks)
  /// Reading-list items.
  public static let readingList = DataTypes(.readingList)
  /// Extensions.
  public static let extensions = DataTypes(.extensions)
  /// Logins.
  public static let passwords = DataTypes(.passwords)
  /// Payment cards.
  public static let cards = DataTypes(.cards)
  /// Visits.
  public static let history = DataTypes(.history)
  /// Files of an app.
  public static let resources = DataTypes(.resources)
  /// The six kinds that live in a store.
  public static let all: DataTypes = [.bookmarks, .readingList, .extensions, .passwords, .cards, .history]
  /// The four kinds that hold no secrets.
  public static let withoutSecrets: DataTypes = [.bookmarks, .readingList, .extensions, .history]
  /// Passwords and cards.
  public static let secrets: DataTypes = [.passwords, .cards]

  /// Whether this kind is in the set.
  public func contains(_ type: DataType) -> Bool { contains(DataTypes(type)) }

  /// The kinds of the set, in the order in which they are sent.
  public var each: [DataType] { DataType.allCases.filter { contains($0) } }
}
