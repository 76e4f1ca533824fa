internal import Dispatch
internal import Glibc
internal import Synchronization

/// The rows of a history, read on a thread of its own while the caller sorts and hands over those before.
final class HistoryReading: @unchecked Sendable {
  // Reasons for @unchecked: 1. `rows` is used by `thread` only; 2. `blocks` is a mutex, `isStopped` atomic; 3. `thread`
  // and `visits` are the caller's alone; 4. the rest is immutable.

  /// So many blocks lie ready at most: three megabytes of pages, much of what comes while a chunk is sorted.
  private static let maximumBlocks = 12
  /// A smaller database is read before a thread has begun.
  private static let smallSize = 1 << 20

  private let rows: HistoryRows
  private var isAhead: Bool { thread != nil }
  /// Its priority is that of the thread which began it, as a queue's would not be. nil: the caller reads.
  private var thread: pthread_t?
  private let blocks = Mutex<[Result<HistoryRows.Block?, ProfileError>]>([])
  private let isStopped = Atomic<Bool>(false)
  private let free = DispatchSemaphore(value: 0)
  private let ready = DispatchSemaphore(value: 0)
  /// The first visits, met when the pages came to their end.
  private var visits: [VisitRow]?

  /// Begins; `stop` must end it. The thread has a connection of its own.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout) throws(ProfileError) {
    let second = database.size < HistoryReading.smallSize ? nil : try database.second()
    rows = try HistoryRows(second ?? database, layout)
    guard second != nil else { return }
    for _ in 0..<HistoryReading.maximumBlocks { free.signal() }
    var thread = pthread_t()
    let reading = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<HistoryReading>.fromOpaque(context).takeRetainedValue().readAhead() }
        return nil
      }, reading.toOpaque())
    if result == 0 { self.thread = thread } else { reading.release() }
  }

  private func readAhead() {
    while true {
      free.wait()
      guard !isStopped.load(ordering: .acquiring) else { return }
      let block = Result { () throws(ProfileError) in try rows.next() }
      blocks.withLock { $0.append(block) }
      ready.signal()
      guard case .success(.some) = block else { return }
    }
  }

  private func next() throws(ProfileError) -> HistoryRows.Block? {
    guard isAhead else { return try rows.next() }
    ready.wait()
    let block = blocks.withLock { $0.removeFirst() }
    free.signal()
    return try block.get()
  }

  /// The next pages; nil when all have come.
  func nextPages() throws(ProfileError) -> PageBlock? {
    guard visits == nil else { return nil }
    switch try next() {
    case .pages(let pages): return pages
    case .visits(let first):
      visits = first
      return nil
    case nil: return nil
    }
  }

  /// The next visits, once all pages have come; nil when all have, and then it must not be called again.
  func nextVisits() throws(ProfileError) -> [VisitRow]? {
    if let first = visits.take() { return first }
    switch try next() {
    case .visits(let visits): return visits
    case .pages, nil: return nil
    }
  }

  /// Ends it, wherever it is.
  func stop() {
    guard let thread = thread.take() else { return }
    isStopped.store(true, ordering: .releasing)
    free.signal()
    pthread_join(thread, nil)
  }
}
