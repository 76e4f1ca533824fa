import BrowsingData

@testable import Wire

extension WireSamples {
  /// A batch of this log, in the form in which decoding gives it back.
  mutating func batch(_ log: ChangeLog, rows: Int = 12) -> ChangeBatch {
    let first = number(1 << 50)
    var batch = ChangeBatch(log: log, first: first, last: first + 1, content: .records([]))
    var sequence = first
    switch log {
    case .pages: batch.content = .pages(pages(rows, after: first, &sequence))
    case .visits: batch.content = .visits(visits(rows, &sequence))
    case .bookmarks, .readingList, .extensions, .passwords, .cards, .resources, .forgetRules:
      var records: [ChangedRecord] = []
      for _ in 0..<rows {
        sequence += 1 + number(9)
        let change: ChangedRecord.Change =
          number(9) == 0 ? .deleted(id()) : .present(record(log.type, full: chance()))
        records.append(
          ChangedRecord(
            sequence: sequence, was: chance() || sequence < 2 ? 0 : 1 + number(sequence - 2), change: change))
      }
      batch.content = .records(records)
    }
    batch.last = max(sequence, first + 1) + number(4)
    return batch
  }

  private mutating func pages(_ rows: Int, after first: Int64, _ last: inout Int64) -> PageBatch {
    var batch = PageBatch()
    let hasTimes = chance()
    let hasFormers = chance()
    for row in 0..<rows {
      let url = "https://example.org/\(row)" + text()
      batch.append(number: 1 + number(1 << 40), url: url.utf8, title: chance() ? Array(text().utf8) : nil)
      let sequence = first + 1 + number(100)
      batch.pages[row].sequence = sequence
      last = max(last, sequence)
      if hasTimes { batch.pages[row].titleTime = chance() ? 0 : time().microseconds }
      if hasFormers { batch.pages[row].was = chance() ? 0 : number(sequence - 1) }
    }
    return batch
  }

  private mutating func visits(_ rows: Int, _ sequence: inout Int64) -> VisitBatch {
    var batch = VisitBatch()
    let has = list(8...8) { $0.chance() }
    if has[0] { batch.profiles += ["work", "日本"] }
    for row in 0..<rows {
      sequence += 1 + number(3)
      var visit = VisitBatch.Visit(page: 1 + number(1 << 30), time: time().microseconds)
      visit.sequence = sequence
      if has[1] { visit.transition = UInt8(number(14)) }
      if has[2] { visit.flags = VisitBatch.Flags(rawValue: UInt8(number(15))) }
      if has[3], chance() {
        if row > 0, chance() {
          let target = batch.visits[max(0, row - 1 - Int(number(20)))]
          visit.linkPage = target.page
          visit.linkDelta = visit.time - target.time
        } else {
          visit.linkPage = 1 + number(1 << 30)
          visit.linkDelta = visit.time - time().microseconds
        }
      }
      if has[4] { visit.occurrence = Int32(number(4)) }
      if has[0] { visit.profile = Int32(number(2)) }
      if has[5] { visit.was = chance() ? 0 : number(sequence - 1) }
      if has[6], chance() {
        visit.attributes = Int32(batch.attributes.count)
        batch.attributes.append(attributes())
      }
      batch.visits.append(visit)
    }
    return batch
  }

  private mutating func attributes() -> VisitBatch.Attributes {
    var attributes = VisitBatch.Attributes()
    attributes.visitCount = 2 + number(1000)
    attributes.destination = maybe({ HistoryVisit.Link(url: $0.text(), visitedAt: $0.time()) }, always: false)
    attributes.referrer = maybe({ HistoryVisit.Link(url: $0.text(), visitedAt: $0.time()) }, always: false)
    attributes.unknown = unknown()
    return attributes
  }
}
