package import BrowsingData

/// A password table of any program, told by its header. Each row is taken or skipped on its own; remarks name lines and
/// columns, never values.
package struct LoginCSVSource: RecordSource {
  /// How the columns are told.
  package enum Header: Hashable, Sendable {
    /// By the first row.
    case firstRow
    /// There is none: the order of 1Password 7.
    case onePasswordWithoutHeader
  }

  private let input: any ByteInput
  private let header: Header

  /// Of a file; nothing is read yet.
  package init(_ input: any ByteInput, header: Header = .firstRow) {
    self.input = input
    self.header = header
  }

  package let types: DataTypes = .passwords

  package func counts() throws -> RecordCounts { try countsByReading() }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    let text = try StreamedText(input)
    var reader = try CSVReader.open(text)
    guard let columns = try LoginCSVSource.columns(&reader, header) else { throw LoginCSVSource.withoutColumns }
    guard types.contains(.passwords) else { return }
    var rows = LoginCSVRows(reader, columns)
    switch text.encoding {
    case .utf8, .utf16, .named: break
    case .damagedUTF8: rows.warn("some bytes are no UTF-8 and were replaced", .none)
    case .windows1252: rows.warn("the text is no UTF-8 and was read as windows-1252", .none)
    }
    var room = RecordRoom(Login(id: .other, url: "", username: "", password: ""))
    while let batch = try rows.next(&room) { try consume(batch) }
  }

  /// What is wrong with any other table.
  package static let withoutColumns = FormatError.notThisFormat(
    "a password table: it has no columns for address, user name and password")

  /// Whether these bytes (the front of a file) have the header of a password table.
  package static func recognizes(_ bytes: [UInt8]) -> Bool {
    do throws(FormatError) {
      var reader = try CSVReader.open(StreamedText(MemoryInput(bytes)))
      return try columns(&reader, .firstRow) != nil
    } catch {
      return false
    }
  }

  private static func columns(
    _ reader: inout CSVReader, _ header: Header
  ) throws(FormatError) -> LoginColumns? {
    switch header {
    case .onePasswordWithoutHeader: return .onePasswordWithoutHeader
    case .firstRow:
      guard try reader.next() else { return nil }
      let row = reader.row
      return LoginColumns(header: (0..<row.count).map { row.text($0) })
    }
  }
}
