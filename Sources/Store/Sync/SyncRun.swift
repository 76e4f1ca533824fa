package import BrowsingData
internal import SQLite

/// How a sync runs.
package struct SyncOptions: Sendable {
  /// Passes the safety stop, and lets go a device that is held.
  package var force = false
  /// The kinds that are kept in step in this session, instead of those set for the peer; nil: those.
  package var types: DataTypes?
  /// What time it is.
  package var clock: @Sendable () -> Timestamp

  /// With the wall clock.
  package init(force: Bool = false, clock: @escaping @Sendable () -> Timestamp = { WallClock.now }) {
    self.force = force
    self.clock = clock
  }
}

/// What a peer's opening means.
package enum SyncBeginning: Hashable, Sendable {
  /// Both know where they stand: send and take.
  case ready
  /// This store had been put back to an earlier state and has a new name now: our opening is to be said again. The peer's
  /// stays valid.
  case reopen
  /// The peer's store had been put back to an earlier state and will find that out by our opening: nothing may be taken
  /// before it has opened again.
  case wait
}

/// What a peer's CAUGHT_UP means.
package enum SyncVerdict: Hashable, Sendable {
  /// Both stores are equal in what they share.
  case inStep
  /// Rows or words are still under way.
  case notYet
  /// Nothing is under way, and yet the digests of these kinds differ. `repairs`: our opening is to be said again; it asks
  /// for all rows. It does so once a day.
  case differs([DataType], repairs: Bool)
}

/// The store's part in one session of role sync with one peer: what is sent and what becomes of what comes. Used by one
/// thread, over one connection; whoever runs the session carries its values over the wire.
package final class SyncRun {
  /// The store that it reads and writes.
  package let store: RecordStore
  let options: SyncOptions
  /// The paired device, as it was when the peer's opening came.
  package internal(set) var peer: Peer
  /// What this side sends, in order; known once the peer has opened.
  package internal(set) var sends: [ChangeLog] = []
  /// What this side takes.
  package internal(set) var takes: Set<ChangeLog> = []
  /// What came in this session and what became of it.
  package internal(set) var report = ApplyReport()

  /// The peer's incarnation and its number here; nil before it has opened.
  var theirs: RecordID?
  var theirNumber: Int64 = 0
  var isReady = false
  /// How far each of the peer's logs has come.
  var received: [ChangeLog: ReceivedLog] = [:]
  /// The cursors that the peer has by now, and how far the logs were looked through for it.
  var told: [ChangeLog: Int64] = [:]
  var scanned: [ChangeLog: Int64] = [:]
  /// Logs that are sent with what came from the peer.
  var whole: Set<ChangeLog> = []
  /// Logs that wait until the peer's are here, since own records may be found to be the peer's.
  var waits: Set<ChangeLog> = []
  /// The sequence up to which all pages were sent.
  var pagesSent: Int64 = 0
  var said: SyncEnd?
  var heard: Int64 = 0
  /// The logs that our last opening called unsent: what the peer goes by must not be another thing than what we do.
  var announced: Set<ChangeLog>?
  var entry: OpenEntry?
  var guards: [DataType: ChangeGuard] = [:]
  var hasSnapshot = false
  private(set) lazy var history = SyncHistory(self)

  init(_ store: RecordStore, _ peer: Peer, _ options: SyncOptions) {
    self.store = store
    self.peer = peer
    self.options = options
    if let types = options.types { self.peer.types = types }
  }

  /// This side's opening: said at the start, and again when `begin` or `hear` asks for it.
  package func opening() throws -> SyncOpening {
    // Whoever is told where we stand anew has forgotten what was said before.
    said = nil
    return try store.reading {
      let marks = try store.peerMarks(peer.number)
      let read = try store.statement("SELECT n, seq, incarnation FROM store")
      guard try read.step() else { throw StoreError.corrupt }
      store.replica = try read.requiredRecordID(2)
      var opening = SyncOpening(
        incarnation: store.replica, counter: read.int64(0), sequence: read.int64(1), sends: peer.sends,
        takes: peer.takes)
      read.reset()
      opening.knows = try store.knownReplicas(marks)
      opening.cursorsAbout = theirs ?? marks.incarnation
      if let about = opening.cursorsAbout {
        for (log, state) in try store.receivedLogs(peer: peer.number, incarnation: about.bytes) {
          opening.cursors[log] = state.sequence
          if state.pass & ReceivedLog.isWhole != 0 { opening.whole.insert(log) }
        }
      }
      opening.unsent = try store.unsentLogs()
      announced = opening.unsent
      return opening
    }
  }

  /// Takes the peer's opening. Throws `clonedIdentity` when two machines speak under one name.
  package func begin(_ opening: SyncOpening) throws -> SyncBeginning {
    isReady = false
    guard let known = try store.peer(keyHash: peer.keyHash), !known.isRevoked else { throw StoreError.noSuchPeer }
    peer = known
    if let types = options.types { peer.types = types }
    let wasRolledBack = try store.takeNewNameIfOvertaken(by: opening)
    guard opening.incarnation != store.replica else { throw StoreError.clonedIdentity }
    guard try store.note(opening, of: peer.number) else { return .wait }
    theirs = opening.incarnation
    theirNumber = try store.writing { try store.replicaNumber(opening.incarnation.bytes) }
    sends = ChangeLog.syncLogs(of: peer.sends.intersection(opening.takes))
    takes = Set(ChangeLog.syncLogs(of: peer.takes.intersection(opening.sends)))
    received = try store.reading {
      try store.receivedLogs(peer: peer.number, incarnation: opening.incarnation.bytes)
    }
    let isAboutUs = opening.cursorsAbout == store.replica
    told = isAboutUs ? opening.cursors : [:]
    whole = opening.whole
    scanned = [:]
    pagesSent = 0
    said = nil
    heard = 0
    history.forget()
    if whole.contains(.pages) { try store.forgetTheirPageNumbers(theirNumber) }
    waits = try logsToAdopt(opening)
    isReady = true
    return try wasRolledBack || alsoAskForAll(opening) ? .reopen : .ready
  }

  /// A peer that asks for all has found a difference: what is missing may be missing here. Not for pages or rules alone.
  private func alsoAskForAll(_ opening: SyncOpening) throws -> Bool {
    let types = Set(opening.whole.filter { $0 != .pages && $0 != .forgetRules }.map(\.type)).filter { type in
      ChangeLog.syncLogs(of: DataTypes(type)).allSatisfy { takes.contains($0) }
    }
    guard !types.isEmpty else { return false }
    _ = try store.mendDigests(types.sorted())
    guard try store.reading({ try mayRepair() }) else { return false }
    try askForAll(types.sorted())
    return true
  }

  /// Of two that have never sent their bookmarks to anybody one sends first, and the other looks which of its own are the
  /// same: the one that has sent some, else the one with the smaller name.
  private func logsToAdopt(_ opening: SyncOpening) throws -> Set<ChangeLog> {
    // Another process may have written since our opening: where both sides waited for each other neither would ever speak.
    var unsent = try store.reading { try store.unsentLogs() }
    if let announced { unsent.formIntersection(announced) }
    return unsent.filter { log in
      sends.contains(log) && takes.contains(log)
        && (!opening.unsent.contains(log) || opening.incarnation < store.replica)
    }
  }

  /// Ends the session: the journal entry is complete. To be called however the session ended; what came stays.
  @discardableResult
  package func finish() throws -> ApplyReport {
    isReady = false
    if let entry {
      try store.writing {
        try store.updateEntry(entry.number, entry.report, isDone: true)
        try store.prune(now: options.clock())
      }
    }
    entry = nil
    return report
  }
}

/// The journal entry that a session writes into.
struct OpenEntry {
  var number: Int64
  /// What it did; the session's own report goes on over several.
  var report = ApplyReport()
  /// When the last batch came: after a while of silence the next one begins a new entry.
  var lastBatch: Timestamp
}

extension RecordStore {
  /// Begins a sync with a paired device. Throws `noSuchPeer`.
  package func beginSync(with keyHash: [UInt8], _ options: SyncOptions = SyncOptions()) throws -> SyncRun {
    guard let peer = try peer(keyHash: keyHash), !peer.isRevoked else { throw StoreError.noSuchPeer }
    return SyncRun(self, peer, options)
  }
}

extension ReceivedLog {
  /// Bits of `pass` in role sync: the log was begun again and the peer sends all of it; a row of it was skipped.
  static let isWhole: Int64 = 1
  static let hasSkipped: Int64 = 2
}
