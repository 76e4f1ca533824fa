/// What there is to export: shown to the people on both sides before anything moves.
public struct ExportMetadata: Hashable, Sendable {
  /// Whether the sheet offers to write files instead, which the app then does itself.
  public let supportExportToFiles: Bool
  /// How many bookmarks and folders.
  public let bookmarksCount: Int
  /// How many items of the reading list.
  public let readingListCount: Int
  /// How many visits.
  public let historyCount: Int
  /// How many extensions.
  public let extensionsCount: Int

  /// With everything. What counts 0 is not offered.
  public init(
    supportForExportToFiles: Bool, bookmarksCount: Int, readingListCount: Int, historyCount: Int, extensionsCount: Int
  ) {
    supportExportToFiles = supportForExportToFiles
    self.bookmarksCount = bookmarksCount
    self.readingListCount = readingListCount
    self.historyCount = historyCount
    self.extensionsCount = extensionsCount
  }

  /// The same, with the first label as BrowserKit's article writes it.
  public init(
    supportingExportToFiles: Bool, bookmarksCount: Int, readingListCount: Int, historyCount: Int, extensionsCount: Int
  ) {
    self.init(
      supportForExportToFiles: supportingExportToFiles, bookmarksCount: bookmarksCount,
      readingListCount: readingListCount, historyCount: historyCount, extensionsCount: extensionsCount)
  }

  /// How many of one kind; 0 for several or none.
  public func count(of type: ExportOptions.DataTypes) -> Int {
    switch type {
    case .bookmarks: bookmarksCount
    case .readingList: readingListCount
    case .history: historyCount
    case .extensions: extensionsCount
    case _: 0
    }
  }

  /// The kinds of which there is something.
  public var availableTypes: ExportOptions.DataTypes {
    ExportOptions.DataTypes(ExportOptions.DataTypes.each.filter { count(of: $0) > 0 })
  }
}
