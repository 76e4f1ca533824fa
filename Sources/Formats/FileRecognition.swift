/// Tells what a file is by looking into it; its name says nothing.
package enum FileRecognition {
  private static let nothingKnown = FormatError.notThisFormat(
    "a Safari export or a member of one, bookmark HTML or JSON, or a password CSV")
  private static let frontSize = 64 << 10
  private static let longFrontSize = 4 << 20

  /// The format of a file. Throws `notThisFormat` for anything that is not known here, also for an empty file.
  package static func format(of input: any ByteInput) throws(FormatError) -> RecognizedFormat {
    let front = try input.prefix(frontSize)
    if isArchive(front) { return .safariArchive }
    if LZ4Block.recognizes(front) { return .bookmarkJSON(.firefox) }
    if isObject(front) { return try jsonFormat(of: input) }
    if try NetscapeBookmarkSource.recognizes(front) { return .bookmarkHTML }
    if LoginCSVSource.recognizes(front) { return .passwordTable }
    if front.count == frontSize, try NetscapeBookmarkSource.recognizes(try input.prefix(longFrontSize)) {
      return .bookmarkHTML
    }
    throw input.name.lowercased().hasSuffix(".csv") ? LoginCSVSource.withoutColumns : nothingKnown
  }

  private static func isArchive(_ front: [UInt8]) -> Bool {
    [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]].contains(Array(front.prefix(4)))
  }

  /// Whether the first character is a brace.
  private static func isObject(_ front: [UInt8]) -> Bool {
    let start = front.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return front[start...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
  }

  private static func jsonFormat(of input: any ByteInput) throws(FormatError) -> RecognizedFormat {
    if let kind = try BookmarkJSONKind.recognize(input) { return .bookmarkJSON(kind) }
    switch try SafariEnvelope.recognize(input)?.kind {
    case .success(let kind): return .safari(kind)
    case .failure(let unknown): throw .notThisFormat("of a kind known here, but \"\(unknown.printable)\"")
    case nil: throw nothingKnown
    }
  }
}
