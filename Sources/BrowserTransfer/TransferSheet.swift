/// What stands where BrowserKit has its sheet: shows what can move, takes the person's choice, and tells what happens.
/// An app with windows brings its own; ``TerminalTransferSheet`` is one for a terminal.
public protocol TransferSheet: Sendable {
  /// Shows what there is to export; gives where to and which kinds, or nil when the person dismisses it.
  func chooseExport(_ request: ExportRequest) async -> ExportChoice?
  /// Asks where to import from; nil when the person dismisses it.
  func chooseImport(_ request: ImportRequest) async -> ImportChoice?
  /// The last word of the exporter's person: whether these kinds may go to that device, which has proved that it knows the
  /// code.
  func agrees(toExport types: ExportOptions.DataTypes, to device: TransferDevice) async -> Bool
  /// Something happened. Called from any thread, one notice after another; must not wait.
  func show(_ notice: TransferNotice)
}

/// What the sheet of an export shows.
public struct ExportRequest: Hashable, Sendable {
  /// What there is.
  public let metadata: ExportMetadata
  /// How the exporting app calls itself.
  public let applicationName: String
  /// Whether another device has asked for it: then where to is settled, and `ExportChoice.destination` may be `.asked`.
  public let isAsked: Bool
}

/// What the person chose for an export.
public struct ExportChoice: Sendable {
  /// Where to.
  public enum Destination: Sendable {
    /// Files, which the app writes; only when the metadata say so.
    case files
    /// Another device.
    case device(TransferInvitation)
    /// The device that asked.
    case asked
  }
  /// Where to.
  public var destination: Destination
  /// Which kinds.
  public var dataTypes: ExportOptions.DataTypes
  /// With both.
  public init(_ destination: Destination, dataTypes: ExportOptions.DataTypes) {
    self.destination = destination
    self.dataTypes = dataTypes
  }
}

/// What the sheet of an import shows.
public struct ImportRequest: Hashable, Sendable {
  /// What the app can do.
  public let metadata: ImportMetadata
  /// How the importing app calls itself.
  public let applicationName: String
}

/// What the person chose for an import.
public enum ImportChoice: Sendable {
  /// Files, which the app reads; only when the metadata say so.
  case files
  /// Another device.
  case device(TransferInvitation)
}

/// How two devices meet: one shows a code, the other answers it. The code is used up by the first who knows it.
public enum TransferInvitation: Sendable {
  /// Show a code here (``TransferNotice/code(_:)``) and listen on these addresses, `HOST:PORT`; none: all, any free port.
  case show(listen: [String] = [])
  /// Answer a code shown there: its ten digits or the address in the QR code; at these addresses, `HOST:PORT`, or, when
  /// there are none, where the network says that it is shown.
  case answer(code: String, at: [String] = [])
}

/// A code to be shown to the person, and to nobody else: it does not print.
public struct ShownCode: Sendable, CustomStringConvertible, CustomReflectable {
  /// Ten digits in groups, good for ten minutes and once.
  public let digits: String
  /// What a QR code of it holds.
  public let uri: String
  /// Says nothing.
  public var description: String { "•••" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The device at the other end.
public struct TransferDevice: Hashable, Sendable {
  /// The hash of its key, in hexadecimal.
  public let id: String
  /// What it calls itself: another person's text, to be escaped where it is shown.
  public let name: String
}

/// What a sheet is told while a transfer runs; more kinds may come.
public enum TransferNotice: Sendable {
  /// It listens on these addresses, `HOST:PORT`.
  case listening([String])
  /// This code is to be shown.
  case code(ShownCode)
  /// The two devices have met, or met again.
  case connected(TransferDevice, again: Bool)
  /// The exporter offers so many of each kind.
  case offered(ExportMetadata, by: TransferDevice)
  /// So many of a kind have arrived, of about so many.
  case progress(ExportOptions.DataTypes, done: Int, total: Int)
  /// The connection is lost and will be made again.
  case interrupted(String)
  /// Something to know that stops nothing.
  case warning(String)
}
