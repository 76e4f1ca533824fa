package import BrowsingData

/// Bookmark HTML as browsers write it (the Netscape format), in any of its dialects and encodings: bookmarks, and Safari's
/// reading list. Ids come from content and place, so that reading a file again gives the same ones.
package struct NetscapeBookmarkSource: RecordSource {
  private let input: any ByteInput

  /// Of a file; nothing is read yet.
  package init(_ input: any ByteInput) { self.input = input }

  package let types: DataTypes = [.bookmarks, .readingList]

  package func counts() throws -> RecordCounts { try countsByReading() }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    let text = try StreamedText(input, declared: NetscapeBookmarkSource.declaredCharset)
    let survey = try NetscapeSurvey(text)
    guard survey.isBookmarkFile else { throw FormatError.notThisFormat("a bookmark file") }
    guard survey.items <= BookmarkIDs.maximum else { throw BookmarkIDs.tooMany }
    let remarks = NetscapeBookmarkSource.remarks(on: text, survey)
    if types.contains(.bookmarks), !remarks.isEmpty { try consume(.remarks(remarks)) }
    let wanted = types.intersection([.bookmarks, .readingList])
    guard !wanted.isEmpty else { return }
    var reader = try NetscapeBookmarkReader(text, survey, wanted: wanted)
    while let batch = try reader.next() { try consume(batch) }
    guard reader.readingList.isOverflowing else { return }
    var second = try NetscapeBookmarkReader(text, survey, wanted: .readingList, givesRemarks: false)
    while let batch = try second.next() { try consume(batch) }
  }

  private static func remarks(on text: StreamedText, _ survey: NetscapeSurvey) -> [Remark] {
    var reasons: [String] = []
    switch text.encoding {
    case .utf8, .utf16, .named: break
    case .damagedUTF8: reasons.append("some bytes are no UTF-8 and were replaced")
    case .windows1252:
      if !text.isDeclared { reasons.append("the text is no UTF-8 and was read as windows-1252") }
    }
    if survey.hasNUL { reasons.append("NUL bytes were left out") }
    return reasons.map { Remark(.warning, type: .bookmarks, reason: $0) }
  }

  // MARK: Recognition

  /// Whether these bytes, the front of a file, are bookmark HTML.
  static func recognizes(_ front: [UInt8]) throws(FormatError) -> Bool {
    try NetscapeSurvey(StreamedText(MemoryInput(front), declared: declaredCharset)).isBookmarkFile
  }

  /// What a META element names as the character set.
  static func declaredCharset(_ bytes: [UInt8]) -> String? {
    let end = min(bytes.count, 4096)
    var index = 0
    while let letter = bytes.firstIndex(of: UInt8(ascii: "="), from: index, to: end) {
      index = letter + 1
      guard letter >= 7, bytes.isWord((letter - 7)..<letter, "charset") else { continue }
      var first = index
      while first < end, isBlank(bytes[first]) || bytes[first] == 0x22 || bytes[first] == 0x27 { first += 1 }
      var last = first
      while last < end, isNamePart(bytes[last]) { last += 1 }
      if last > first { return bytes.text(first..<last) }
    }
    return nil
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || [0x2D, 0x5F, 0x2E, 0x3A].contains(byte)
  }
}
