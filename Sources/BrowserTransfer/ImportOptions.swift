/// What an importing app can do: shown in the sheet of an import.
public struct ImportMetadata: Hashable, Sendable {
  /// Whether the sheet offers to read files instead, which the app then does itself.
  public let supportImportFromFiles: Bool
  /// With everything.
  public init(supportForImportFromFiles: Bool) { supportImportFromFiles = supportForImportFromFiles }
}

/// What the person chose in the sheet of an import.
public struct ImportOptions: Hashable, Sendable {
  /// Whether the app is to read files by itself; then no other device is involved. Else the import activity has been, or
  /// is about to be, given to the app's handler.
  public let importFromFiles: Bool
  /// With everything.
  public init(importFromFiles: Bool) { self.importFromFiles = importFromFiles }
}
