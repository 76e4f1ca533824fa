internal import SQLite

/// Why a profile cannot be read or written. Holds names of files and numbers, never an address, a title or a user.
package enum ProfileError: Error, Equatable, Sendable {
  /// There is no such profile, or the folder holds none; the word or path that was asked for.
  case notFound(String)
  /// Another program has it open, or wrote to it while it was read; the file's name.
  case inUse(String)
  /// A layout that this version does not know.
  case unsupportedSchema(file: String, version: Int64, reason: String)
  /// Passwords or cards need a password, or a key that is not in the profile; says which.
  case secretsLocked(String)
  /// The password that was given does not open the profile's secrets.
  case wrongPassword
  /// A file is damaged; its name and what is wrong.
  case corrupt(file: String, reason: String)
  /// A file could not be read or copied; its name and the system's words.
  case unreadable(file: String, reason: String)

  /// What a database's fault means for the profile.
  init(_ error: DatabaseError, file: String) {
    switch error.code {
    case .corrupt, .notADatabase: self = .corrupt(file: file, reason: "not a sound SQLite database")
    case .busy, .locked: self = .inUse(file)
    default: self = .unreadable(file: file, reason: error.message)
    }
  }
}

extension ProfileError: CustomStringConvertible {
  /// In words.
  package var description: String {
    switch self {
    case .notFound(let what): "no profile: \(what)"
    case .inUse(let file): "\(file) is in use by another program"
    case .unsupportedSchema(let file, let version, let reason):
      "\(file) has a layout that is not known (version \(version)): \(reason)"
    case .secretsLocked(let why): "the secrets are locked: \(why)"
    case .wrongPassword: "the primary password is wrong"
    case .corrupt(let file, let reason): "\(file) is damaged: \(reason)"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    }
  }
}
