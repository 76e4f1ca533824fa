internal import BrowsingData

/// Makes visits ready to be written: looks up their pages, hashes and sorts them. Pure, so that it can run beside the
/// store's own thread while that writes the batch before.
struct VisitPreparation: Sendable {
  /// The pages that have come.
  var map: PageMap
  /// The batch's profiles, in the store's numbers.
  var profiles: [HistoryWriter.Profile]
  /// Whether a page of the peer's could not be read, so that visits may name ones that are not there.
  var maySkipPages: Bool
  /// `HistoryWriter.generation` of the map.
  var generation: Int

  /// A peer's visits. Throws `malformed` when one names what was not sent.
  func prepare(_ batch: VisitBatch) throws -> PreparedVisits {
    var visits = PreparedVisits(batch, generation: generation)
    let attributes = EncodedAttributes(batch.attributes)
    let (pages, links) = map.targets(of: batch.visits)
    for (index, visit) in batch.visits.enumerated() {
      guard profiles.indices.contains(Int(visit.profile)), visit.attributes < batch.attributes.count,
        visit.attributes >= -1
      else { throw StoreError.malformed(.visits) }
      let link = links[index]
      guard let target = pages[index], visit.linkPage == 0 || link != nil else {
        guard maySkipPages else { throw StoreError.malformed(.visits) }
        visits.remarks.append(
          Remark(.skipped, type: .history, reason: "its page, or the one before it, could not be read"))
        visits.received.isIncomplete = true
        continue
      }
      guard target.page != 0, link != 0 else { throw HistoryWriter.ForgottenPage() }
      // A visit that is skipped counts all the same: the exporter knows nothing of it.
      let row = row(visit, on: target, link: link, attributes)
      visits.received.count += 1
      visits.received.sum.add(row.hash)
      if let problem = VisitCheck.problem(of: visit, hasPage: true, profiles: profiles.count) {
        visits.remarks.append(Remark(.skipped, type: .history, reason: problem))
      } else {
        visits.rows.append(row)
      }
    }
    visits.attributes = attributes.bytes
    VisitRow.sort(&visits.rows)
    return visits
  }

  /// A source's visits, in their order.
  func take(_ batch: VisitBatch) -> PreparedVisits {
    var visits = PreparedVisits(batch, generation: generation)
    let attributes = EncodedAttributes(batch.attributes)
    let (pages, links) = map.targets(of: batch.visits)
    for (index, visit) in batch.visits.enumerated() {
      let target = pages[index]
      let problem = VisitCheck.problem(of: visit, hasPage: target != nil, profiles: profiles.count)
      guard problem == nil, let target else {
        visits.remarks.append(Remark(.skipped, type: .history, reason: problem ?? ""))
        continue
      }
      visits.rows.append(row(visit, on: target, link: links[index], attributes))
    }
    visits.attributes = attributes.bytes
    return visits
  }

  @inline(__always)
  private func row(
    _ visit: VisitBatch.Visit, on page: PageMap.Target, link: Int64?, _ attributes: EncodedAttributes
  ) -> VisitRow {
    VisitRow(
      visit, on: page, from: link, in: profiles[Int(visit.profile)], attributes.range(Int(visit.attributes)))
  }
}

/// Visits in the store's numbers.
struct PreparedVisits: Sendable {
  /// `HistoryWriter.generation` of the numbers.
  let generation: Int
  var rows: [VisitRow] = []
  /// The arena that the rows' attributes are in.
  var attributes: [UInt8] = []
  /// What the peer counts of them.
  var received = ReceivedRows()
  var remarks: [Remark] = []

  init(_ batch: VisitBatch, generation: Int) {
    self.generation = generation
    rows.reserveCapacity(batch.visits.count)
  }
}

/// A peer's batch, made ready by `ImportRun.preparation`.
package struct PreparedBatch: Sendable {
  let visits: PreparedVisits
}

/// The attributes of a batch, encoded once, in one arena.
struct EncodedAttributes {
  private(set) var bytes: [UInt8] = []
  private var ranges: [Range<Int32>] = []

  init(_ attributes: [VisitBatch.Attributes]) {
    for one in attributes {
      var one = one
      // A count below 1 says nothing.
      one.visitCount = max(1, one.visitCount)
      let start = Int32(bytes.count)
      bytes += VisitAttributes.encode(one)
      ranges.append(start..<Int32(bytes.count))
    }
  }

  func range(_ index: Int) -> Range<Int32> { ranges.indices.contains(index) ? ranges[index] : 0..<0 }
}
