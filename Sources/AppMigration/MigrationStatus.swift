public import Foundation

/// How an import into an app ended: to be told to the person once, at the app's first start after it.
///
/// ```swift
/// if let status = MigrationStatus.importStatus {
///   tell(status)
///   MigrationStatus.clearImportStatus()
/// }
/// ```
public enum MigrationStatus: Sendable {
  /// Everything is here.
  case success
  /// Nothing is here: the container is as it was before. With what went wrong, a ``MigrationFailure`` when the status was
  /// kept by another program.
  case failure(any Error)

  /// The status of the app that runs (``MigrationDataContainer/main``); nil when nothing was imported, or when it was told.
  public static var importStatus: MigrationStatus? { MigrationDataContainer.main.importStatus }

  /// The person has been told: the status is nil from now on.
  public static func clearImportStatus() { MigrationDataContainer.main.clearImportStatus() }

  private struct Kept: Codable {
    var domain: String?
    var code: Int?
    var message: String?
  }

  static func read(_ file: URL) -> MigrationStatus? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    guard let kept = try? JSONDecoder().decode(Kept.self, from: data) else {
      return .failure(MigrationFailure(domain: "", code: 0, message: "The import's status cannot be read."))
    }
    guard let message = kept.message else { return .success }
    return .failure(MigrationFailure(domain: kept.domain ?? "", code: kept.code ?? 0, message: message))
  }

  static func write(_ status: MigrationStatus, to file: URL) throws {
    var kept = Kept()
    if case .failure(let error) = status {
      let failure = MigrationFailure(error)
      kept = Kept(domain: failure.domain, code: failure.code, message: failure.message)
    }
    try JSONEncoder().encode(kept).write(to: file, options: .atomic)
  }
}

/// An error of an import as it is kept until the person is told: an error of any type is reduced to this.
public struct MigrationFailure: Error, Hashable, Sendable, LocalizedError {
  /// The domain of the error, as an `NSError` has it.
  public let domain: String
  /// Its number there.
  public let code: Int
  /// What is said of it.
  public let message: String

  init(domain: String, code: Int, message: String) {
    self.domain = domain
    self.code = code
    self.message = message
  }

  init(_ error: any Error) {
    if let known = error as? MigrationFailure {
      self = known
      return
    }
    let general = error as NSError
    self.init(domain: general.domain, code: general.code, message: general.localizedDescription)
  }

  /// What is said of it.
  public var errorDescription: String? { message }
}
