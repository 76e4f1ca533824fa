package import BrowsingData

/// Any file that holds browsing data, as a source: the one face of this room for reading.
package struct FileSource: RecordSource {
  /// One thing that was found: the file itself, or a member of an archive.
  package struct Part: Hashable, Sendable {
    /// The name of the file or member, safe to print.
    package var name: String
    /// What it was recognised as.
    package var format: RecognizedFormat
    /// The profile its name tells of; nil is the default one.
    package var profile: String?
  }

  /// What the file as a whole is.
  package let format: RecognizedFormat
  /// What was found in it, in its order.
  package let parts: [Part]
  private let source: any RecordSource

  /// Looks into a file. Throws `notFound`, `notThisFormat`, or what is wrong with it.
  package static func open(_ path: String) throws(FormatError) -> FileSource {
    let input = FileInput(path)
    let format = try FileRecognition.format(of: input)
    if format == .safariArchive {
      let archive = try SafariArchive(input)
      return FileSource(format: format, parts: archive.parts, source: archive)
    }
    let part = Part(name: input.name, format: format, profile: SafariFileNames.profile(ofMember: input.name))
    guard let source = source(part, input) else { throw .notThisFormat("a file of browsing data") }
    return FileSource(format: format, parts: [part], source: source)
  }

  /// The word before the colon of `csv-1password:logins.csv`: a table without a header, which only a person can tell.
  package static let onePasswordWord = "csv-1password"

  /// Opens a password table of 1Password that has no header.
  package static func openOnePassword(_ path: String) throws(FormatError) -> FileSource {
    let input = FileInput(path)
    _ = try input.prefix(1)
    let part = Part(name: input.name, format: .passwordTable, profile: nil)
    let source = LoginCSVSource(input, header: .onePasswordWithoutHeader)
    return FileSource(format: .passwordTable, parts: [part], source: source)
  }

  /// The source of one part; nil for an archive, which is none.
  static func source(_ part: Part, _ input: any ByteInput) -> (any RecordSource)? {
    switch part.format {
    case .safariArchive: nil
    case .safari(.history): SafariHistory(input: input, profile: part.profile)
    case .safari(.paymentCards): SafariPaymentCards(input: input)
    case .safari(.extensions): SafariExtensions(input: input, profile: part.profile)
    case .bookmarkHTML: NetscapeBookmarkSource(input)
    case .bookmarkJSON(.firefox): FirefoxBookmarkJSONSource(input)
    case .bookmarkJSON(.chromium): ChromiumBookmarkJSONSource(input)
    case .passwordTable: LoginCSVSource(input)
    }
  }

  package var types: DataTypes { source.types }
  package func counts() throws -> RecordCounts { try source.counts() }
  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    try source.read(types, into: consume)
  }
}
