package import BrowsingData
internal import SQLite

extension SyncRun {
  /// Takes the peer's CAUGHT_UP: its logs stand where it says, own records that are found to be the peer's become the
  /// peer's, and when nothing is under way the digests are compared. `ending` is to be asked afterwards.
  package func hear(_ end: SyncEnd) throws -> SyncVerdict {
    guard isReady else { throw StoreError.clonedIdentity }
    try moveCursors(to: end.sequence)
    heard = end.sequence
    if !waits.isEmpty {
      try adopt()
      waits = []
      return .notYet
    }
    let verdict = try store.reading { try compare(end) }
    switch verdict {
    case .inStep: try noteInStep()
    case .notYet: break
    case .differs(let types, let repairs):
      guard repairs else { break }
      // Rows that got lost behind the store's back are still in its digest.
      _ = try store.mendDigests(types)
      try askForAll(types)
    }
    return verdict
  }

  /// Rows that the peer left out since they came from here, or that are none any more, are behind us.
  private func moveCursors(to sequence: Int64) throws {
    guard sequence >= 0, sequence < sequenceMask else { throw StoreError.malformed(.bookmarks) }
    var moved = received
    for log in takes {
      var state = received[log] ?? ReceivedLog()
      // The peer may have said this before it heard that all of the log is to come: what comes begins at 0.
      if state.pass & ReceivedLog.isWhole != 0, state.sequence == 0 { continue }
      state.sequence = max(state.sequence, sequence)
      state.pass &= ~ReceivedLog.isWhole
      moved[log] = state
    }
    let changed = moved.filter { log, state in
      state.sequence != received[log]?.sequence ?? 0 || state.pass != received[log]?.pass ?? 0
    }
    guard !changed.isEmpty else { return }
    try store.writing {
      for (log, state) in changed {
        try store.save(state, of: log, peer: peer.number, incarnation: try name())
      }
    }
    received = moved
  }

  private func compare(_ end: SyncEnd) throws -> SyncVerdict {
    let sequence = try store.storedSequence()
    guard end.heard == sequence, said?.sequence == sequence else { return .notYet }
    let ours = try digests()
    let different = ours.keys.filter { end.digests[$0] != nil && end.digests[$0] != ours[$0] }.sorted()
    guard !different.isEmpty else { return .inStep }
    return .differs(different, repairs: try mayRepair())
  }

  private func noteInStep() throws {
    for log in [ChangeLog.bookmarks, .cards] where sends.contains(log) && takes.contains(log) {
      try store.noteMet(log)
    }
    let now = options.clock()
    if let last = peer.lastSync, now.microseconds - last.microseconds < SyncRun.freshness { return }
    try store.noteInStep(peer: peer.number, at: now)
    peer.lastSync = now
  }

  /// A time that is younger is not written anew: an idle session writes nothing.
  private static let freshness: Int64 = 60_000_000
  private static let day: Int64 = 86_400_000_000

  func mayRepair() throws -> Bool {
    let read = try store.statement("SELECT repaired FROM peer WHERE no = ?1")
    try read.bind(1, peer.number)
    defer { read.reset() }
    guard try read.step(), let last = read.optionalInt64(0) else { return true }
    let passed = options.clock().microseconds - last
    // A clock that went back says nothing about when that was.
    return passed >= SyncRun.day || passed < 0
  }

  func askForAll(_ types: [DataType]) throws {
    let logs = ChangeLog.syncLogs(of: DataTypes(types))
    try store.writing {
      for log in logs {
        try store.save(
          ReceivedLog(pass: ReceivedLog.isWhole), of: log, peer: peer.number, incarnation: try name())
      }
      if logs.contains(.pages) { try store.forgetPages(ofPeer: peer.number) }
      let update = try store.statement("UPDATE peer SET repaired = ?2 WHERE no = ?1")
      try update.bind(1, peer.number)
      try update.bind(2, options.clock().microseconds)
      try update.run()
    }
    for log in logs { received[log] = ReceivedLog(pass: ReceivedLog.isWhole) }
    history.forget()
  }
}
