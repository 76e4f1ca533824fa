package import BrowsingData
package import Channel

/// What a transfer tells while it runs; one event of the command line each (cli.md).
package enum TransferEvent: Sendable {
  /// It listens on these addresses, `host:port`.
  case listening([String])
  /// This code is shown, and what the QR code holds.
  case code(PairingCode, uri: String)
  /// A device is connected; `resumed` when it was before.
  case connected(TransferDevice, resumed: Bool)
  /// The exporter has these records.
  case offer([DataType: Int], TransferDevice)
  /// These kinds will come.
  case chosen(DataTypes)
  /// So many records of a kind are committed at the importer; bytes are those on the wire, of all kinds.
  case progress(DataType, done: Int, total: Int, bytes: Int)
  /// The connection is lost; it is tried again after so many milliseconds (0: the other side must connect).
  case interrupted(reason: String, retryIn: Int)
  /// Something to know that stops nothing.
  case warning(String)
}

/// The device at the other end, as it is shown.
package struct TransferDevice: Sendable, Hashable {
  /// The hash of its key, in hexadecimal.
  package var id: String
  /// What it calls itself; a peer's text, to be escaped when it is shown.
  package var name: String
  /// The program that it runs, in its own words; likewise a peer's text.
  package var software: String
  /// With these.
  package init(id: String, name: String, software: String = "") {
    self.id = id
    self.name = name
    self.software = software
  }
}

/// The person, or the policy, at this end: is told what happens and decides. Called from threads of the session, one at a time.
package protocol TransferPerson: Sendable {
  /// Something happened.
  func hear(_ event: TransferEvent)
  /// The importer's choice among what is offered; nil or empty means no.
  func choose(from offer: [DataType: Int], of device: TransferDevice) -> DataTypes?
  /// What of these kinds may go to that device, by the exporter's person; nil or empty means no. `wantsSecrets`: the
  /// importer's person asked for secrets by name.
  func grants(_ types: DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: TransferDevice) -> DataTypes?
  /// The transfer has this token. Called before every `.connected`.
  func hear(token: TransferToken)
}

extension TransferPerson {
  /// A person need not know it before the end.
  package func hear(token: TransferToken) {}
}
