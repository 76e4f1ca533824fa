internal import CSodium

/// The only source of randomness in Wherry: the kernel's, through libsodium.
package enum Random {
  /// Random bytes.
  package static func bytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0, "a negative count")
    Sodium.start()
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let start = buffer.baseAddress { randombytes_buf(start, count) }
      initialized = count
    }
  }

  /// A number from 0 up to, not including, `bound`, each equally likely. `bound` 0 or 1 gives 0.
  package static func uniform(below bound: UInt32) -> UInt32 {
    Sodium.start()
    return randombytes_uniform(bound)
  }
}
