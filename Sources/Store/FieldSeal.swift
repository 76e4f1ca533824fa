package import BrowsingData
internal import Crypto

/// Seals the secret fields of a store's records one by one, each bound to its place: a sealed field that is moved to
/// another record, field or store does not open. Protects a copied database, not a copied home.
package struct FieldSeal: Sendable {
  private let key: SecureBytes
  private let storeID: [UInt8]

  init(key: SecureBytes, storeID: [UInt8]) {
    self.key = key
    self.storeID = storeID
  }

  /// Nonce, ciphertext and tag.
  package func seal(_ secret: [UInt8], type: DataType, record: RecordID, field: UInt64) -> [UInt8] {
    AEAD.seal(key: key, secret, associated: place(type, record, field))
  }

  /// What was sealed; `unsealable` when the key, the place or a byte differs.
  package func open(
    _ sealed: [UInt8], type: DataType, record: RecordID, field: UInt64
  ) throws(StoreError) -> [UInt8] {
    do {
      return try AEAD.open(key: key, sealed, associated: place(type, record, field))
    } catch {
      throw .unsealable
    }
  }

  private func place(_ type: DataType, _ record: RecordID, _ field: UInt64) -> [UInt8] {
    var bytes = storeID
    bytes.append(type.rawValue)
    bytes += record.bytes
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: field >> UInt64(shift)))
    }
    return bytes
  }

  /// The key of a home, made at first use; it is in another folder than the data.
  static func key(of home: Home) throws(StoreError) -> SecureBytes {
    let path = home.config + "/store.key"
    try PrivateFile.requirePrivate(path)
    if let bytes = try PrivateFile.read(path) {
      guard bytes.count == AEAD.keyLength else { throw .file(path, "is no key of a store") }
      return SecureBytes(bytes)
    }
    let key = SecureBytes.random(count: AEAD.keyLength)
    try PrivateFile.write(key.unprotectedCopy, to: path)
    return key
  }
}
