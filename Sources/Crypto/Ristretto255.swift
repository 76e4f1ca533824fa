internal import CSodium

/// The group of CPace: ristretto255 (RFC 9496). Points are encodings of 32 bytes.
package enum Ristretto255 {
  /// The point that 64 uniform bytes map to.
  package static func point(fromHash hash: [UInt8]) -> [UInt8] {
    precondition(hash.count == 64, "the map takes 64 bytes")
    var result = [UInt8](repeating: 0, count: 32)
    crypto_core_ristretto255_from_hash(&result, hash)
    return result
  }

  /// A random scalar, never zero.
  package static func randomScalar() -> SecureBytes {
    Sodium.start()
    return SecureBytes(count: 32) { buffer in
      if let start = buffer.bindMemory(to: UInt8.self).baseAddress {
        crypto_core_ristretto255_scalar_random(start)
      }
    }
  }

  /// Scalar times point; nil when the point is no valid encoding or the product is the neutral element (CPace's abort).
  package static func multiply(_ scalar: SecureBytes, _ point: [UInt8]) -> SecureBytes? {
    guard scalar.count == 32, point.count == 32 else { return nil }
    var isValid = false
    let product = SecureBytes(count: 32) { buffer in
      guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return }
      isValid = scalar.withPointer { crypto_scalarmult_ristretto255(start, $0, point) == 0 }
    }
    return isValid ? product : nil
  }

  /// Whether these bytes are a canonical encoding of a point other than the neutral element.
  package static func isValid(_ point: [UInt8]) -> Bool {
    point.count == 32 && point.contains { $0 != 0 } && crypto_core_ristretto255_is_valid_point(point) == 1
  }
}
