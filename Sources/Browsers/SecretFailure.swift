/// Why one encrypted field stays shut; the words of a remark.
enum SecretFailure: Error, Equatable {
  case malformed
  case unknownCipher
  case keyMissing
  case wrongKey

  /// In words.
  var reason: String {
    switch self {
    case .malformed: "its encrypted form is damaged"
    case .unknownCipher: "it is encrypted in a way that is not known"
    case .keyMissing: "its key is not in the profile"
    case .wrongKey: "it cannot be decrypted with the profile's key"
    }
  }
}
