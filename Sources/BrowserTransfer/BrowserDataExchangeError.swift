public import Foundation
internal import Transfer

/// Why an export or an import ended without its data. Holds no address, title or code.
public struct BrowserDataExchangeError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// Which operation failed.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// Its number.
    public let rawValue: Int
    /// From its number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Neither of the two.
    public static let unknown = Code(rawValue: 0)
    /// An export.
    public static let export = Code(rawValue: 1)
    /// An import.
    public static let `import` = Code(rawValue: 2)
    /// Whether an error is of this code: what `catch BEBrowserDataExchangeError.import` asks.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? BrowserDataExchangeError)?.code == code
    }
  }

  /// Why it failed, for a program to act on; more may come.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// Its word.
    public let rawValue: String
    /// From its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Any other failure.
    public static let failed = Reason(rawValue: "failed")
    /// A person said no, or ended it, on either side.
    public static let declined = Reason(rawValue: "declined")
    /// The app here ended it: the sheet was dismissed, the task cancelled, the stream dropped.
    public static let cancelled = Reason(rawValue: "cancelled")
    /// The token is none of this scene's, or has been used.
    public static let token = Reason(rawValue: "token")
    /// The app has registered no handler for the activity, or has asked for nothing yet.
    public static let notReady = Reason(rawValue: "not_ready")
    /// Nobody listens there, or there is nothing to export.
    public static let notFound = Reason(rawValue: "not_found")
    /// A wrong, expired or used code.
    public static let wrongCode = Reason(rawValue: "wrong_code")
    /// Another device than the expected one.
    public static let untrusted = Reason(rawValue: "untrusted")
    /// The two programs have nothing in common, or both play the same role.
    public static let incompatible = Reason(rawValue: "incompatible")
    /// The connection is lost for good.
    public static let interrupted = Reason(rawValue: "interrupted")
    /// A disk is full.
    public static let noSpace = Reason(rawValue: "no_space")
  }

  /// Which operation failed.
  public let code: Code
  /// Why.
  public let reason: Reason
  /// One sentence for a person.
  public let message: String
  /// What the person can do about it; empty when nothing.
  public let hint: String

  /// With everything.
  public init(_ code: Code, _ reason: Reason, message: String, hint: String = "") {
    self.code = code
    self.reason = reason
    self.message = message
    self.hint = hint
  }

  init(_ code: Code, _ error: any Error) {
    if let error = error as? BrowserDataExchangeError {
      self = error
    } else if error is CancellationError {
      self.init(code, .cancelled, message: "The transfer was cancelled here.")
    } else if let error = error as? TransferError {
      // The words for the command line's options mean nothing here.
      let hint = error.hint.contains("--") || error.hint.contains("wherry") ? "" : error.hint
      self.init(code, Reason(error.code), message: error.message, hint: hint)
    } else {
      self.init(code, .failed, message: "Something unforeseen failed here (\(type(of: error))).")
    }
  }

  /// An export.
  public static var export: Code { .export }
  /// An import.
  public static var `import`: Code { .import }
  /// Neither of the two.
  public static var unknown: Code { .unknown }
  /// The domain of these errors, as an `NSError` has it.
  public static let errorDomain = "BEBrowserDataExchangeErrorDomain"
  /// The number of the code, as an `NSError` has it.
  public var errorCode: Int { code.rawValue }
  /// The sentence and what can be done about it, under the keys of an `NSError`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if !hint.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = hint }
    return info
  }
  /// The sentence for a person.
  public var errorDescription: String? { message }
  /// What the person can do about it.
  public var recoverySuggestion: String? { hint.isEmpty ? nil : hint }

  /// Equal when code and reason are.
  public static func == (left: BrowserDataExchangeError, right: BrowserDataExchangeError) -> Bool {
    left.code == right.code && left.reason == right.reason
  }
  /// Hashes code and reason.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(reason)
  }
}

extension BrowserDataExchangeError.Reason {
  fileprivate init(_ code: TransferError.Code) {
    switch code {
    case .failed, .inUse: self = .failed
    case .declined: self = .declined
    case .notFound: self = .notFound
    case .wrongCode: self = .wrongCode
    case .untrusted: self = .untrusted
    case .incompatible: self = .incompatible
    case .interrupted: self = .interrupted
    case .noSpace: self = .noSpace
    case .stopped: self = .cancelled
    }
  }
}
