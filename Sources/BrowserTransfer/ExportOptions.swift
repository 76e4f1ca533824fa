/// What the person chose in the sheet of an export.
public struct ExportOptions: Hashable, Sendable {
  /// Whether the app is to write files, in a format of its own choice; then no other device is involved.
  public let exportToFiles: Bool
  /// The kinds to yield: what both people agreed on. Empty when `exportToFiles` is true and all kinds are meant.
  public let dataTypes: DataTypes

  /// With both.
  public init(exportToFiles: Bool, dataTypes: DataTypes) {
    self.exportToFiles = exportToFiles
    self.dataTypes = dataTypes
  }

  /// Kinds of browsing data.
  public struct DataTypes: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// From its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// No kind.
    public static let none: DataTypes = []
    /// Bookmarks and folders.
    public static let bookmarks = DataTypes(rawValue: 1)
    /// Items of the reading list.
    public static let readingList = DataTypes(rawValue: 2)
    /// Visits.
    public static let history = DataTypes(rawValue: 4)
    /// Extensions.
    public static let extensions = DataTypes(rawValue: 8)
    /// All four.
    public static let all: DataTypes = [.bookmarks, .readingList, .history, .extensions]
    /// The four kinds one by one, in the order in which they are shown.
    public static let each: [DataTypes] = [.bookmarks, .readingList, .history, .extensions]
  }
}
