package import BrowsingData

/// Bookmark HTML as browsers write it (the Netscape format), in any of its dialects and encodings: bookmarks, and Safari's
/// reading list. Ids come from content and place, so that reading a file again gives the same ones.
package struct NetscapeBookmarkSource: RecordSource {
  private let input: any ByteInput

  /// A longer file is refused: it is read whole, and no more memory than this is ever taken for it.
  package static let maximumSize = 256 << 20

  /// Of a file; nothing is read yet.
  package init(_ input: any ByteInput) { self.input = input }

  package let types: DataTypes = [.bookmarks, .readingList]

  package func counts() throws -> RecordCounts { try countsByReading() }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    let raw = try input.bytes(upTo: NetscapeBookmarkSource.maximumSize)
    let text = DecodedText(raw, declared: NetscapeBookmarkSource.declaredCharset)
    guard NetscapeBookmarkSource.recognizes(text.bytes) else { throw FormatError.notThisFormat("a bookmark file") }
    var remarks = NetscapeBookmarkSource.remarks(on: text, raw)
    var bytes = text.bytes
    if bytes.firstIndex(of: 0, from: 0, to: bytes.count) != nil {
      bytes.removeAll { $0 == 0 }
      remarks.append(Remark(.warning, type: .bookmarks, reason: "NUL bytes were left out"))
    }
    if types.contains(.bookmarks), !remarks.isEmpty { try consume(.remarks(remarks)) }
    var reader = NetscapeBookmarkReader(bytes)
    while let batch = reader.next() {
      if let wanted = NetscapeBookmarkSource.part(of: batch, types) { try consume(wanted) }
    }
  }

  private static func part(of batch: RecordBatch, _ types: DataTypes) -> RecordBatch? {
    switch batch {
    case .bookmarks: return types.contains(.bookmarks) ? batch : nil
    case .readingList: return types.contains(.readingList) ? batch : nil
    case .remarks(let remarks):
      let wanted = remarks.filter { remark in remark.type.map { types.contains($0) } ?? true }
      return wanted.isEmpty ? nil : .remarks(wanted)
    case .extensions, .logins, .cards, .pages, .visits, .history: return nil
    }
  }

  private static func remarks(on text: DecodedText, _ raw: [UInt8]) -> [Remark] {
    switch text.encoding {
    case .utf8, .utf16, .named: []
    case .damagedUTF8: [Remark(.warning, type: .bookmarks, reason: "some bytes are no UTF-8 and were replaced")]
    case .windows1252:
      declaredCharset(raw) == nil
        ? [Remark(.warning, type: .bookmarks, reason: "the text is no UTF-8 and was read as windows-1252")] : []
    }
  }

  // MARK: Recognition

  /// Whether these bytes (UTF-8, or the front of such a file) are bookmark HTML: its doctype, or a `<DL` or `<DT`.
  package static func recognizes(_ bytes: [UInt8]) -> Bool {
    var index = 0
    while let less = bytes.firstIndex(of: UInt8(ascii: "<"), from: index, to: bytes.count) {
      let word = less + 1
      if bytes.isWord(word..<min(word + 2, bytes.count), "dl") || bytes.isWord(word..<min(word + 2, bytes.count), "dt")
      {
        return true
      }
      if bytes.isWord(word..<min(word + 32, bytes.count), "!doctype netscape-bookmark-file-") { return true }
      index = word
    }
    return false
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
