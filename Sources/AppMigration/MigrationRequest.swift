public import Foundation

/// What a destination asks of an export.
public struct MigrationRequestWithOptions<OptionsType>: Sendable
where
  OptionsType: CaseIterable, OptionsType: Hashable, OptionsType: RawRepresentable, OptionsType: Sendable,
  OptionsType.RawValue == String
{
  /// Where the files go.
  public let destinationPlatform: MigrationPlatform
  /// The options that are asked for, each with its value.
  public let options: [OptionsType: Data]

  /// With both.
  public init(destinationPlatform: MigrationPlatform, options: [OptionsType: Data] = [:]) {
    self.destinationPlatform = destinationPlatform
    self.options = options
  }
}

/// What a destination asks of an export that has no options.
public typealias MigrationRequest = MigrationRequestWithOptions<MigrationDefaultSupportedOptions>

/// The options of an extension that has none: there is no value of it.
public enum MigrationDefaultSupportedOptions: CaseIterable, Hashable, RawRepresentable, Sendable {
  /// There is none with any word.
  public init?(rawValue: String) { nil }
  /// The word of an option.
  public var rawValue: String { switch self {} }
  /// Empty.
  public static var allCases: [MigrationDefaultSupportedOptions] { [] }
}

/// What an importing extension is told of the files.
public struct ResourcesImportRequest: Hashable, Sendable {
  /// The app that exported them.
  public let sourceAppIdentifier: MigrationAppIdentifier
  /// The version of their form, in the exporter's words.
  public let sourceVersion: String

  /// With both.
  public init(sourceAppIdentifier: MigrationAppIdentifier, sourceVersion: String) {
    self.sourceAppIdentifier = sourceAppIdentifier
    self.sourceVersion = sourceVersion
  }
}
