public import Foundation
internal import Resources
internal import Transfer

/// Why a migration ended without its files. Holds no path of the app's.
public struct MigrationError: LocalizedError, Hashable, Sendable {
  /// What went wrong; more may come.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// Its word.
    public let rawValue: String
    /// From its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Any other failure.
    public static let failed = Code(rawValue: "failed")
    /// A person said no, or ended it.
    public static let declined = Code(rawValue: "declined")
    /// The extension stopped appending for too long.
    public static let hung = Code(rawValue: "hung")
    /// Another program has the container.
    public static let inUse = Code(rawValue: "in_use")
    /// Nothing to export, nobody there, or no such migration to go on with.
    public static let notFound = Code(rawValue: "not_found")
    /// A wrong, expired or used code.
    public static let wrongCode = Code(rawValue: "wrong_code")
    /// The two programs have nothing in common, or both play the same role.
    public static let incompatible = Code(rawValue: "incompatible")
    /// The connection is lost; the migration can be gone on with.
    public static let interrupted = Code(rawValue: "interrupted")
    /// A disk is full; the migration can be gone on with.
    public static let noSpace = Code(rawValue: "no_space")
    /// The archiver was given what is no file, folder or link, or a path that leads outside.
    public static let badItem = Code(rawValue: "bad_item")
  }

  /// What went wrong.
  public let code: Code
  /// One sentence for a person.
  public let message: String

  /// With both.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let error as MigrationError: self = error
    case let error as TransferError: self.init(Code(error.code), error.message)
    case ResourceError.hung: self.init(.hung, "The extension stopped appending and was given up.")
    case ResourceError.inUse: self.init(.inUse, "Another program uses the container.")
    case ResourceError.full: self.init(.noSpace, "The disk is full.")
    default: self.init(TransferError(cause: error))
    }
  }

  /// The sentence for a person.
  public var errorDescription: String? { message }

  /// Equal when the codes are.
  public static func == (left: MigrationError, right: MigrationError) -> Bool { left.code == right.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension MigrationError.Code {
  fileprivate init(_ code: TransferError.Code) {
    switch code {
    case .failed, .untrusted: self = .failed
    case .declined: self = .declined
    case .notFound: self = .notFound
    case .inUse: self = .inUse
    case .wrongCode: self = .wrongCode
    case .incompatible: self = .incompatible
    case .interrupted, .stopped: self = .interrupted
    case .noSpace: self = .noSpace
    }
  }
}
