internal import BrowsingData
internal import SQLite

/// A visit on its way into the store, in the store's own numbers.
struct VisitRow {
  var sequence: Int64 = 0
  var time: Int64
  var page: Int64
  var linkPage: Int64 = 0
  var linkDelta: Int64 = 0
  var hash = RowHash(high: 0, low: 0)
  var occurrence: Int32
  /// Number of the profile here.
  var profile: Int32
  /// Into the attributes' arena; empty when there are none.
  var attributes: Range<Int32> = 0..<0
  var kind: UInt8 = 0
  var flags: UInt8 = 0

  /// The order of the store's index.
  @inline(__always)
  static func precedes(_ left: VisitRow, _ right: VisitRow) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.page != right.page { return left.page < right.page }
    if left.occurrence != right.occurrence { return left.occurrence < right.occurrence }
    return left.profile < right.profile
  }

  /// Sorts visits into the order of the store's index; cheap when they are in it already.
  static func sort(_ rows: inout [VisitRow]) {
    let isSorted = rows.withUnsafeBufferPointer { rows in
      var index = 1
      while index < rows.count {
        if precedes(rows[index], rows[index - 1]) { return false }
        index += 1
      }
      return true
    }
    if !isSorted { rows.sort(by: precedes) }
  }
}

extension VisitRow {
  /// A visit of a batch in the store's numbers: on a page, from the page of its link, if any, in a profile.
  @inline(__always)
  init(
    _ visit: VisitBatch.Visit, on page: PageMap.Target, from link: Int64?, in profile: HistoryWriter.Profile,
    _ attributes: Range<Int32>
  ) {
    self.init(time: visit.time, page: page.page, occurrence: visit.occurrence, profile: profile.number)
    kind = visit.transition
    flags = visit.flags.rawValue & 15
    self.attributes = attributes
    hash = VisitHasher.visit(
      page: page.hash, time: visit.time, occurrence: visit.occurrence, profile: profile.hash)
    if VisitCheck.isLinkPlausible(visit), let link {
      linkPage = link
      linkDelta = visit.linkDelta
    } else {
      flags &= ~VisitBatch.Flags.linkIsRedirect.rawValue
    }
  }
}

/// Visits in memory as the table `incoming_visit`.
final class VisitTable: RowTable {
  static let name = "incoming_visit"
  static let columns = ["seq", "t", "url", "occ", "profile", "kind", "flags", "ref", "ref_dt", "attrs"]
  private var rows = UnsafeBufferPointer<VisitRow>(start: nil, count: 0)
  private var attributes = UnsafeRawBufferPointer(start: nil, count: 0)

  var rowCount: Int { rows.count }

  /// Shows these rows while `body` runs.
  func showing<R>(_ rows: ArraySlice<VisitRow>, _ attributes: [UInt8], _ body: () throws -> R) rethrows -> R {
    try rows.withUnsafeBufferPointer { rows in
      try attributes.withUnsafeBytes { attributes in
        self.rows = rows
        self.attributes = attributes
        defer {
          self.rows = UnsafeBufferPointer(start: nil, count: 0)
          self.attributes = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return try body()
      }
    }
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    switch column {
    case 0: result.set(rows[row].sequence)
    case 1: result.set(rows[row].time)
    case 2: result.set(rows[row].page)
    case 3: result.set(Int64(rows[row].occurrence))
    case 4: result.set(Int64(rows[row].profile))
    case 5: result.set(Int64(rows[row].kind))
    case 6: result.set(Int64(rows[row].flags))
    case 7: if rows[row].linkPage != 0 { result.set(rows[row].linkPage) }
    case 8: if rows[row].linkPage != 0 { result.set(rows[row].linkDelta) }
    default:
      let range = rows[row].attributes
      if !range.isEmpty {
        result.set(
          bytes: UnsafeRawBufferPointer(rebasing: attributes[Int(range.lowerBound)..<Int(range.upperBound)]))
      }
    }
  }
}
