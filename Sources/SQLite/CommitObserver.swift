internal import CSQLite

/// What a connection tells of its commits.
final class CommitObserver {
  let body: (Int) -> Void

  init(_ body: @escaping (Int) -> Void) { self.body = body }
}

extension Database {
  /// Calls `body` on this connection's thread after each commit with the number of pages in the write-ahead log. SQLite
  /// then carries the log over by itself no more: whoever observes sees to it.
  package func observeCommits(_ body: @escaping (Int) -> Void) {
    let observer = CommitObserver(body)
    commitObserver = observer
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<CommitObserver>.fromOpaque(context).takeUnretainedValue().body(Int(pages))
        return SQLITE_OK
      }, Unmanaged.passUnretained(observer).toOpaque())
  }
}
