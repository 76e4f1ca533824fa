/// What an export offers, before anything moves.
public struct MigrationOffer: Hashable, Sendable {
  /// The app.
  public let bundleIdentifier: String
  /// The version of the form of its files.
  public let version: String
  /// About how many bytes; 0 when it is not known here.
  public let sizeEstimate: Int
}

/// The person at one end of a migration, or what decides in the person's place.
public protocol MigrationPerson: Sendable {
  /// Whether the app's files may go to that device, which has proved that it knows the code. `deviceName` is another
  /// person's text: escape it where it is shown.
  func agrees(toExport offer: MigrationOffer, to deviceName: String) async -> Bool
  /// Something happened. Called from any thread; must not wait.
  func show(_ notice: MigrationNotice)
}

/// What a person is told; more kinds may come.
public enum MigrationNotice: Sendable {
  /// It listens on these addresses, `HOST:PORT`.
  case listening([String])
  /// This code is to be shown, to this person alone; what a QR code of it holds.
  case code(MigrationCode)
  /// The two devices have met, or met again.
  case connected(deviceName: String, again: Bool)
  /// So many files have arrived, of about so many; bytes on the wire.
  case progress(files: Int, total: Int, bytes: Int)
  /// Everything has arrived, and the extension takes it into the container: how much of it is done, from 0 to 1, by the
  /// extension's own account.
  case importing(fractionCompleted: Double)
  /// The connection is lost and will be made again.
  case interrupted(String)
  /// Something to know that stops nothing.
  case warning(String)
}

/// A code to be shown. It does not print.
public struct MigrationCode: Sendable, CustomStringConvertible, CustomReflectable {
  /// Ten digits in groups, good for ten minutes and once.
  public let digits: String
  /// What a QR code of it holds.
  public let uri: String
  /// Says nothing.
  public var description: String { "•••" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How the two devices of a migration meet.
public enum MigrationMeeting: Sendable {
  /// Show a code here and listen on these addresses, `HOST:PORT`; none: all, any free port.
  case show(listen: [String] = [])
  /// Answer a code shown there: its ten digits or the address in the QR code; at these addresses, `HOST:PORT`, or, when
  /// there are none, where the network says that it is shown.
  case answer(code: String, at: [String] = [])
  /// Go on with the newest migration that was interrupted in this host's folder: no code and no question again. `at`,
  /// `listen`: where, if not as before.
  case resume(at: [String] = [], listen: [String] = [])
}

/// What a migration moved.
public struct MigrationReport: Hashable, Sendable {
  /// Files, links and empty folders that were moved.
  public var files = 0
  /// Ones that were left out, with the reason of each.
  public var skipped: [String] = []
}
