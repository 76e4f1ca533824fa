internal import BrowsingData
internal import SQLite

extension RecordID {
  /// From 16 bytes; nil for any other number.
  init?(slice bytes: ArraySlice<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { RecordID(raw: $0) }
  }

  /// From 16 bytes at hand.
  fileprivate init(raw bytes: UnsafeRawBufferPointer) {
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}

extension Statement {
  /// A column as an id, nil for NULL; throws `corrupt` for what is none.
  func recordID(_ column: Int32) throws -> RecordID? {
    try withBytes(column) { bytes in
      guard let bytes else { return nil }
      guard bytes.count == 16 else { throw StoreError.corrupt }
      return RecordID(raw: bytes)
    }
  }

  /// The same where there is always one.
  func requiredRecordID(_ column: Int32) throws -> RecordID {
    guard let id = try recordID(column) else { throw StoreError.corrupt }
    return id
  }
}
