internal import COpenSSL

/// SHA-256 of bytes that come in pieces. Not to be shared between threads.
package final class SHA256Stream {
  private let context: OpaquePointer?

  /// Nothing hashed yet.
  package init() {
    context = EVP_MD_CTX_new()
    let done = EVP_DigestInit_ex(context, EVP_sha256(), nil)
    precondition(done == 1, "this OpenSSL lacks SHA-256")
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  package func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Adds bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The hash of all bytes so far, 32 bytes; more may follow.
  package func digest() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: 32)
    let copy = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(copy) }
    let done = EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &result, nil) == 1
    precondition(done, "OpenSSL does not end a SHA-256")
    return result
  }
}
