internal import COpenSSL

/// Keyed hashes (RFC 2104).
package enum HMAC {
  /// HMAC-SHA256, 32 bytes. A key of any length.
  package static func sha256(key: [UInt8], _ data: [UInt8]) -> [UInt8] { tag(EVP_sha256(), 32, key, data) }
  /// HMAC-SHA512, 64 bytes. A key of any length.
  package static func sha512(key: [UInt8], _ data: [UInt8]) -> [UInt8] { tag(EVP_sha512(), 64, key, data) }
  /// HMAC-SHA1, 20 bytes: only for formats that name it.
  package static func sha1(key: [UInt8], _ data: [UInt8]) -> [UInt8] { tag(EVP_sha1(), 20, key, data) }

  private static func tag(_ hash: OpaquePointer?, _ length: Int, _ key: [UInt8], _ data: [UInt8]) -> [UInt8] {
    precondition(key.count <= Int(Int32.max), "a key of more than 2 GiB")
    var result = [UInt8](repeating: 0, count: length)
    let done = COpenSSL.HMAC(hash, key, Int32(key.count), data, data.count, &result, nil)
    precondition(done != nil, "this OpenSSL lacks a hash that Wherry needs")
    return result
  }
}
