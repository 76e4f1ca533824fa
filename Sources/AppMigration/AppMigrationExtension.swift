public import Foundation

/// What an app brings to take part in a migration: an object that knows the app's data, and exports or imports them. Conform
/// to ``ResourcesExporting`` or ``ResourcesExportingWithOptions``, to ``ResourcesImporting``, or to both.
public protocol AppMigrationExtension: Sendable {
  /// Where the app keeps its data.
  var appContainer: MigrationDataContainer { get }
}

/// An extension whose files can be copied as they are, and that knows options of the destination.
///
/// A ``MigrationHost`` calls it while it holds the app's container: nobody else who asks for it gets it meanwhile
/// (``MigrationDataContainer/isInUse``).
public protocol ResourcesExportingWithOptions: AppMigrationExtension {
  /// The options that a destination may ask for.
  associatedtype OptionsType: CaseIterable, Hashable, RawRepresentable, Sendable where OptionsType.RawValue == String

  /// About how many bytes there are: the importer looks for room before anything moves.
  var resourcesSizeEstimate: Int { get async throws }
  /// The version of the form of the files; the importer decides whether it understands it.
  var resourcesVersion: String { get }
  /// Whether compressing the files on the way is worth it: not when they are compressed already.
  var resourcesCompressible: Bool { get }

  /// Appends every file to the archiver, one after another, without long pauses; when it returns everything is appended.
  /// Errors that the archiver throws must go on to the caller, cancellation above all.
  func exportResources(
    to archiver: sending ResourcesArchiver, request: MigrationRequestWithOptions<OptionsType>
  ) async throws
}

/// An extension whose files can be copied as they are.
public protocol ResourcesExporting: ResourcesExportingWithOptions
where OptionsType == MigrationDefaultSupportedOptions {}

/// An extension that takes files from another device into its app's container.
public protocol ResourcesImporting: AppMigrationExtension {
  /// Moves or copies what lies in a folder into the container. Whatever it throws is kept as the app's
  /// ``MigrationStatus``, and the container is then as it was before.
  func importResources(at importedDataURL: URL, request: ResourcesImportRequest) async throws
  /// How far it is.
  var resourcesImportProgress: Progress { get }
}
