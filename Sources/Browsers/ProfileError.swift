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
  case secretsLocked(SecretLock)
  /// The password that was given does not open the profile's secrets.
  case wrongPassword
  /// A file is damaged; its name and what is wrong.
  case corrupt(file: String, reason: String)
  /// A file could not be read or copied; its name and the system's words.
  case unreadable(file: String, reason: String)
  /// A file could not be written; its name and the system's words.
  case unwritable(file: String, reason: String)
  /// The disk is full; every file is as it was or as it shall be.
  case full(file: String)
  /// The browser has never been started on the profile, so that what a writer needs is not there; what is missing.
  case neverStarted(String)

  /// What a database's fault means for the profile.
  init(_ error: DatabaseError, file: String) {
    switch error.code {
    case .corrupt, .notADatabase: self = .corrupt(file: file, reason: "not a sound SQLite database")
    case .busy, .locked: self = .inUse(file)
    case .full: self = .full(file: file)
    case .readOnly: self = .unwritable(file: file, reason: error.message)
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
    case .secretsLocked(.primaryPassword): "the secrets are locked: a primary password is set"
    case .secretsLocked(.keyring(let why)): "the secrets are locked: \(why)"
    case .wrongPassword: "the primary password is wrong"
    case .corrupt(let file, let reason): "\(file) is damaged: \(reason)"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .unwritable(let file, let reason): "\(file) cannot be written: \(reason)"
    case .full(let file): "the disk is full: \(file) was left as it was"
    case .neverStarted(let what): "the browser was never started on this profile: \(what) is missing"
    }
  }
}
