package import BrowsingData

extension FileFormat {
  /// Opens a file as a source: in the format that was named, else in the one its content shows. Reads only its start.
  package static func source(_ path: String, as format: FileFormat?) throws(FormatError) -> any RecordSource {
    let input = FileInput(path)
    let start = try input.prefix(65_536)
    if start.isEmpty { throw .notThisFormat("of any format: it is empty") }
    if NetscapeBookmarkSource.recognizes(start) { return NetscapeBookmarkSource(input) }
    throw .notThisFormat("of a format that is known here")
  }

  /// A sink that writes this format.
  package func sink(_ output: any ByteOutput) throws(FormatError) -> any RecordSink {
    switch self {
    case .htmlFirefox: NetscapeBookmarkSink(output, flavor: .firefox)
    case .htmlChromium: NetscapeBookmarkSink(output, flavor: .chromium)
    case .htmlSafari: NetscapeBookmarkSink(output, flavor: .safari)
    }
  }
}
