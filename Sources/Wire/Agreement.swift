package import BrowsingData

/// OFFER: what the exporter holds (BrowserKit's export metadata).
package struct Offer: Hashable, Sendable {
  /// What there is of one kind.
  package struct Item: Hashable, Sendable {
    /// The kind.
    package var type: DataType
    /// How many records.
    package var count: Int64
    /// About how many bytes on the wire.
    package var bytes: Int64
    /// When the newest of them was changed; nil when unknown.
    package var newest: Timestamp?
    /// With what cannot be absent.
    package init(type: DataType, count: Int64, bytes: Int64, newest: Timestamp? = nil) {
      self.type = type
      self.count = count
      self.bytes = bytes
      self.newest = newest
    }
  }
  /// The incarnation of the exporter's store, 16 bytes: what cursors belong to.
  package var incarnation: [UInt8]
  /// The kinds it can send at all.
  package var supported: DataTypes
  /// What it holds, in ascending order of the kinds.
  package var items: [Item]
  /// The source's profiles, the default one left out.
  package var profiles: [String] = []
  /// What is said of an app's files before they move; nil when there are none.
  package var resources: ResourcesNote?

  /// With what cannot be absent; the rest is set afterwards.
  package init(incarnation: [UInt8], supported: DataTypes, items: [Item]) {
    self.incarnation = incarnation
    self.supported = supported
    self.items = items
  }
}

/// What is known of an app's files before they move (AppMigrationKit's properties of an export).
package struct ResourcesNote: Hashable, Sendable {
  /// The app that they are of, such as `org.mozilla.firefox`.
  package var application: String
  /// The version of their form, in the app's words.
  package var version: String
  /// Where the app runs, such as `linux`.
  package var platform: String
  /// Whether compressing them on the way is worth it.
  package var isCompressible: Bool

  /// With everything.
  package init(application: String, version: String, platform: String, isCompressible: Bool) {
    self.application = application
    self.version = version
    self.platform = platform
    self.isCompressible = isCompressible
  }
}

/// CHOOSE: what the importer wants of the offer (BrowserKit's export options). No kinds: it refuses.
package struct Choice: Hashable, Sendable {
  /// The kinds.
  package var types: DataTypes
  /// Whether a person asked for the secrets among them, by name or by a tick.
  package var wantsSecrets: Bool
  /// The source's profile (name) and where it goes (value).
  package var profiles: [NamedValue] = []

  /// With what cannot be absent; the rest is set afterwards.
  package init(types: DataTypes, wantsSecrets: Bool) {
    self.types = types
    self.wantsSecrets = wantsSecrets
  }
}

/// ACCEPT: what the exporter grants of the choice.
package struct Grant: Hashable, Sendable {
  /// The kinds, a subset of the chosen ones.
  package var types: DataTypes
  /// Whether the secrets among them are granted.
  package var grantsSecrets: Bool
  /// The incarnation of the exporter's store, 16 bytes.
  package var incarnation: [UInt8]

  /// With everything.
  package init(types: DataTypes, grantsSecrets: Bool, incarnation: [UInt8]) {
    self.types = types
    self.grantsSecrets = grantsSecrets
    self.incarnation = incarnation
  }
}

/// RESUME: how far the importer has come. Its cursors are the only truth.
package struct Resume: Hashable, Sendable {
  /// The exporter's incarnation that the cursors belong to, 16 bytes; nil when it has none yet.
  package var incarnation: [UInt8]?
  /// The committed cursor of each log; one that is not named is 0.
  package var cursors: [ChangeLog: Int64]

  /// With everything.
  package init(incarnation: [UInt8]?, cursors: [ChangeLog: Int64]) {
    self.incarnation = incarnation
    self.cursors = cursors
  }
}

/// CANCEL: why.
package enum CancelReason: UInt8, CaseIterable, Hashable, Sendable {
  /// A person cancelled it.
  case person = 1
  /// A safety stop.
  case safetyStop = 2
  /// Its life is over.
  case expired = 3
}
