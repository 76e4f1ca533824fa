internal import COpenSSL

/// Memory that OpenSSL reads from and writes to where it would else use a file.
final class MemoryBIO {
  let pointer: OpaquePointer?

  init() { pointer = BIO_new(BIO_s_mem()) }

  init(_ bytes: [UInt8]) {
    pointer = BIO_new(BIO_s_mem())
    if let count = Int32(exactly: bytes.count) { BIO_write(pointer, bytes, count) }
  }

  deinit { BIO_free(pointer) }

  /// What has been written, taken out.
  func take() -> [UInt8] {
    let count = wherry_bio_pending(pointer)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var taken = 0
      initialized = BIO_read_ex(pointer, buffer.baseAddress, count, &taken) == 1 ? taken : 0
    }
  }
}
