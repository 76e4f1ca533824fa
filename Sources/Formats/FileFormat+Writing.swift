package import BrowsingData

extension FileFormat {
  /// A sink that writes this format. An archive needs a file of its own: into anything but an `AtomicFile` only its
  /// losses are counted. `wanted`: the kinds that were asked for.
  package func sink(_ output: any ByteOutput, wanted: DataTypes = .all) throws(FormatError) -> any RecordSink {
    switch self {
    case .safari: SafariArchiveSink(output as? AtomicFile, metadata: .now(), wanted: wanted)
    case .htmlFirefox: NetscapeBookmarkSink(output, flavor: .firefox)
    case .htmlChromium: NetscapeBookmarkSink(output, flavor: .chromium)
    case .htmlSafari: NetscapeBookmarkSink(output, flavor: .safari)
    case .json: FirefoxBookmarkJSONSink(output)
    case .chromiumJSON: ChromiumBookmarkJSONSink(output)
    case .csvFirefox: LoginCSVSink(output, dialect: .firefox)
    case .csvChromium: LoginCSVSink(output, dialect: .chromium)
    case .csvSafari: LoginCSVSink(output, dialect: .safari)
    }
  }
}
