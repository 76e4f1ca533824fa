internal import CZstd

/// Compresses payloads with zstd level 1, each into a frame of its own that carries its size. One context for all of them.
package final class BatchCompressor {
  private let context: OpaquePointer?

  /// Ready to compress.
  package init() { context = ZSTD_createCCtx() }

  deinit { ZSTD_freeCCtx(context) }

  /// The compressed bytes; nil when they are not fewer, or zstd has no memory.
  package func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard let context, !bytes.isEmpty else { return nil }
    let result = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { target, count in
      let written = bytes.withUnsafeBytes {
        ZSTD_compressCCtx(context, target.baseAddress, target.count, $0.baseAddress, $0.count, 1)
      }
      count = ZSTD_isError(written) == 0 ? written : 0
    }
    return result.isEmpty || result.count >= bytes.count ? nil : result
  }
}

/// Decompresses payloads: one zstd frame each, the size it declares is the bound of what is written.
package final class BatchDecompressor {
  private let context: OpaquePointer?

  /// Ready to decompress.
  package init() { context = ZSTD_createDCtx() }

  deinit { ZSTD_freeDCtx(context) }

  /// The bytes. Throws `malformed(.compression)` for no size, a size above `limit`, a wrong one, or bytes that follow.
  package func decompress(_ bytes: [UInt8], limit: Int = Limits.payload) throws(WireError) -> [UInt8] {
    guard let context else { throw .misbehaved(.internalError) }
    // Not a skippable frame, which would pass as one of size 0.
    guard bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) else { throw .malformed(.compression) }
    let (declared, length) = bytes.withUnsafeBytes {
      (
        ZSTD_getFrameContentSize($0.baseAddress, $0.count),
        ZSTD_findFrameCompressedSize($0.baseAddress, $0.count)
      )
    }
    // The two highest values mean "unknown" and "error"; an error of the second is above any count, too.
    guard declared <= UInt64(limit), length == bytes.count else { throw .malformed(.compression) }
    let result = [UInt8](unsafeUninitializedCapacity: Int(declared)) { target, count in
      let written = bytes.withUnsafeBytes {
        ZSTD_decompressDCtx(context, target.baseAddress, target.count, $0.baseAddress, $0.count)
      }
      count = ZSTD_isError(written) == 0 ? min(written, target.count) : 0
    }
    guard UInt64(result.count) == declared else { throw .malformed(.compression) }
    return result
  }
}
