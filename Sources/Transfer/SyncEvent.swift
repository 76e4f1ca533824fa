package import BrowsingData
package import Channel
package import Store

/// What a sync tells while it runs.
package enum SyncEvent: Sendable {
  /// It listens on these addresses, `host:port`.
  case listening([String])
  /// A paired device is connected.
  case connected(Peer)
  /// So many rows of a kind came from a device and are committed.
  case taken(Peer, DataType, rows: Int)
  /// This device and that one stand equal.
  case inStep(Peer)
  /// The connection to a device has ended; what came over it.
  case parted(Peer, ApplyReport)
  /// A device cannot be reached now, or was lost; tried again after so many milliseconds.
  case interrupted(Peer, reason: String, retryIn: Int)
  /// Nothing more is tried with a device until a person does something.
  case stopped(Peer, TransferError)
  /// Something to know that stops nothing.
  case warning(String)
}

/// Who is told what a sync does. Called from its threads, several at a time.
package protocol SyncObserver: Sendable {
  /// Something happened.
  func hear(_ event: SyncEvent)
}

/// How a sync came out for one device.
package struct SyncOutcome: Sendable {
  /// The device.
  package var peer: Peer
  /// What came from it.
  package var report: ApplyReport
  /// Why the two are not in step; nil when they are.
  package var failure: TransferError?
}

/// What a sync is to do.
package struct SyncPlan: Sendable {
  /// The devices that are meant; nil: all that are paired.
  package var devices: [PeerID]?
  /// Whether it stays, listens and reconnects; else one round with each device.
  package var stays: Bool
  /// Where to listen; empty: everywhere when it stays, else nowhere.
  package var listen: [Endpoint]
  /// Where to dial instead of the last addresses.
  package var at: [Endpoint]
  /// What is kept in step in this run, instead of what is set for each device.
  package var types: DataTypes?
  /// Passes the safety stop.
  package var force: Bool
  /// How many seconds a round that listens waits for further devices once one has come and none is there.
  package var grace = 30.0

  /// With everything.
  package init(
    devices: [PeerID]? = nil, stays: Bool, listen: [Endpoint] = [], at: [Endpoint] = [], types: DataTypes? = nil,
    force: Bool = false
  ) {
    self.devices = devices
    self.stays = stays
    self.listen = listen
    self.at = at
    self.types = types
    self.force = force
  }
}
