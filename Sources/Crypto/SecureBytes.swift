internal import CSodium

/// Secret bytes between guard pages, locked in memory when the system allows it, wiped at the end, never printed.
/// Best effort: Swift arrays and strings that held the secret before cannot be wiped.
///
/// Sendable because the bytes are written once, in `init`, before the object is shared.
package final class SecureBytes: @unchecked Sendable {
  /// How many bytes.
  package let count: Int
  private let memory: UnsafeMutableRawPointer
  private let isGuarded: Bool

  /// Zeroed memory that `fill` writes.
  package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    precondition(count >= 0, "a negative count")
    Sodium.start()
    self.count = count
    if let guarded = sodium_malloc(max(count, 1)) {
      memory = guarded
      isGuarded = true
    } else {
      memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
      isGuarded = false
    }
    sodium_memzero(memory, count)
    fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
  }

  /// A copy of bytes; the array that is passed stays as it is.
  package convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Random bytes.
  package static func random(count: Int) -> SecureBytes {
    SecureBytes(count: count) { buffer in
      if let start = buffer.baseAddress { randombytes_buf(start, buffer.count) }
    }
  }

  deinit {
    if isGuarded {
      sodium_free(memory)
    } else {
      sodium_memzero(memory, count)
      memory.deallocate()
    }
  }

  /// The bytes, for as long as the closure runs.
  package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// The bytes as libsodium takes them.
  func withPointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
    body(UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)))
  }

  /// A copy that is not protected any more: only for what must be handed on as an array.
  package var unprotectedCopy: [UInt8] {
    withBytes { Array($0) }
  }
}

extension SecureBytes: Equatable {
  /// Compares in constant time for equal counts.
  package static func == (left: SecureBytes, right: SecureBytes) -> Bool {
    left.count == right.count && sodium_memcmp(left.memory, right.memory, left.count) == 0
  }
}

extension SecureBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the bytes.
  package var description: String { "•••" }
  /// Never the bytes.
  package var debugDescription: String { "•••" }
  /// Shows nothing to `dump`.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
