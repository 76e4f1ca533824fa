/// What role sync sends at once: a run of one change log, from just after `first` up to and with `last`, in ascending
/// order. Rows that came from the receiver and are as it sent them are left out; so `last` may be beyond the last row.
public struct SyncBatch: Hashable, Sendable {
  /// The rows. A page number below 0 in `visits` is the receiver's own number of the page, negated.
  public enum Content: Hashable, Sendable {
    /// Bookmarks, items, extensions, logins or cards.
    case records([SyncRecord])
    /// Pages.
    case pages(PageBatch)
    /// Visits.
    case visits(VisitBatch)
    /// Rules by which visits are forgotten.
    case rules([LoggedForgetRule])
  }
  /// The change log it is a run of.
  public var log: ChangeLog
  /// The cursor that it starts from.
  public var first: Int64
  /// The cursor that holds once it is committed.
  public var last: Int64
  /// The rows.
  public var content: Content
  /// Records that the receiver could not read (too large, wrong values): counted and reported, never fatal. Not sent.
  public var remarks: [Remark]
  /// Numbers of pages among them: visits that name one are skipped, too. Not sent.
  public var unreadablePages: [Int64] = []

  /// With what cannot be absent; the rest is set afterwards.
  public init(log: ChangeLog, first: Int64, last: Int64, content: Content, remarks: [Remark] = []) {
    self.log = log
    self.first = first
    self.last = last
    self.content = content
    self.remarks = remarks
  }

  /// How many rows it holds.
  public var count: Int {
    switch content {
    case .records(let records): records.count
    case .pages(let pages): pages.pages.count
    case .visits(let visits): visits.visits.count
    case .rules(let rules): rules.count
    }
  }
}
