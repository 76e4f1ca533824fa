internal import COpenSSL

/// What can go wrong in this room. Holds no key, no plaintext.
package enum CryptoError: Error, Equatable, Sendable {
  /// A tag, a padding or a signature is not what it should be: wrong key or changed bytes.
  case authenticationFailed
  /// A length or an encoding that the primitive does not take; says which.
  case invalidInput(String)
  /// OpenSSL refused; its whole error stack, oldest first, one line each.
  case openSSL([String])

  /// Takes this thread's OpenSSL error stack.
  static func takeStack(after call: String) -> CryptoError {
    var lines: [String] = []
    var text = [CChar](repeating: 0, count: 256)
    while true {
      let code = ERR_get_error()
      if code == 0 { break }
      ERR_error_string_n(code, &text, text.count)
      lines.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return .openSSL([call] + lines)
  }
}
