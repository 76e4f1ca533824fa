internal import BrowsingData

/// A new place among the siblings for an item of an import plan.
package struct Placement: Hashable, Sendable {
  /// An index of `BookmarkImportPlan.locals`.
  package var local: Int
  /// Its new order key.
  package var order: OrderKey
  /// From its two parts.
  package init(local: Int, order: OrderKey) {
    self.local = local
    self.order = order
  }
}

extension BookmarkImportPlan {
  /// Brings what came from the source into the source's order, in every folder that was touched since the last time.
  /// What was there and has another id there keeps its place; only those are placed that do not stand right already.
  package mutating func arrange() -> [Placement] {
    var placements: [Placement] = []
    for parent in touched.sorted() {
      guard var folder = sourceFolders[parent], !folder.isInOrder, let slot = slot(ofIncoming: parent) else { continue }
      let came = arrived(in: parent, &folder, slot)
      sourceFolders[parent] = nil
      if !isAscending(came.map(\.local)) {
        for placement in arrangement(of: came.map(\.local), in: slot) {
          locals[placement.local].order = placement.order
          placements.append(placement)
        }
        lastOrders[slot] = (children[slot] ?? []).map { locals[Int($0)].order }.max()
      }
      folder.isInOrder = isAscending(came.map(\.local))
      folder.lastPosition = came.last.map { ($0.rank, $0.position) }
      folder.lastOrder = came.last.map { locals[$0.local].order }
      sourceFolders[parent] = folder
    }
    touched = []
    return placements
  }

  /// The children of a folder at the source that stand in its counterpart here, in the source's order.
  func arrived(in parent: RecordID, _ folder: inout SourceFolder, _ slot: Int) -> [Arrival] {
    folder.ids.removeAll { arrivals[$0]?.parent != parent }
    var seen: Set<Int> = []
    return folder.ids.compactMap { arrivals[$0] }
      .filter { $0.local >= 0 && locals[$0.local].slot == slot && !locals[$0.local].isDeleted }
      .sorted { ($0.rank, $0.position, $0.sequence) < ($1.rank, $1.position, $1.sequence) }
      .filter { seen.insert($0.local).inserted }
  }

  private func isAscending(_ list: [Int]) -> Bool {
    zip(list, list.dropFirst()).allSatisfy { locals[$0].order < locals[$1].order }
  }

  /// `came`: in the source's order. Anchors are those that keep their place whatever the source says, as far as they are
  /// in order; the rest of `came` follows the source between them.
  private func arrangement(of came: [Int], in slot: Int) -> [Placement] {
    let fixed = came.filter { !locals[$0].followsSource }
    let anchors = Set(LongestIncreasingSubsequence.indices(of: fixed.map { locals[$0].order }).map { fixed[$0] })
    let list = came.filter { anchors.contains($0) || locals[$0].followsSource }
    // What is new here is placed before anything that was there is moved.
    let old = self.kept(list.filter { $0 < existing }, anchors)
    let kept = self.kept(list.filter { $0 >= existing || old.contains($0) }, old)
    let moving = Set(list).subtracting(kept)
    let staying = (children[slot] ?? []).map { Int($0) }.filter { !moving.contains($0) && !locals[$0].isDeleted }
      .sorted { (locals[$0].order, locals[$0].id) < (locals[$1].order, locals[$1].id) }
    var ranks: [Int: Int] = [:]
    for (rank, local) in staying.enumerated() { ranks[local] = rank }

    var placements: [Placement] = []
    var runs: [(after: Int?, locals: [Int])] = []
    var run: [Int] = []
    var before: Int?
    var hasRoom = true
    for next in list.map({ Optional($0) }) + [nil] {
      if let next, moving.contains(next) {
        run.append(next)
        continue
      }
      if !run.isEmpty {
        let gap = self.gap(after: before, before: next, staying, ranks)
        runs.append((gap.rank, run))
        if let keys = OrderKeys.spread(run.count, gap.low, gap.high, tag: tag) {
          placements += zip(run, keys).map { Placement(local: $0, order: $1) }
        } else {
          hasRoom = false
        }
      }
      run = []
      before = next
    }
    return hasRoom ? placements : rekeyed(staying, runs)
  }

  /// Of the list those that may stay: the anchors, and between each two of them a longest ascending rest.
  private func kept(_ list: [Int], _ anchors: Set<Int>) -> Set<Int> {
    var kept = anchors
    var low: OrderKey?
    var run: [Int] = []
    func close(_ high: OrderKey?) {
      let fitting = run.filter { local in
        let order = locals[local].order
        return (low.map { $0 < order } ?? true) && (high.map { order < $0 } ?? true)
      }
      let ascending = LongestIncreasingSubsequence.indices(of: fitting.map { locals[$0].order })
      kept.formUnion(ascending.map { fitting[$0] })
      run = []
    }
    for local in list {
      if anchors.contains(local) {
        close(locals[local].order)
        low = locals[local].order
      } else {
        run.append(local)
      }
    }
    close(nil)
    return kept
  }

  /// Where a run goes: right after the one before it; before the next one when there is none; at the end when nothing
  /// follows. `rank` is that of the staying one before it, nil for the front.
  private func gap(
    after before: Int?, before next: Int?, _ staying: [Int], _ ranks: [Int: Int]
  ) -> (low: OrderKey?, high: OrderKey?, rank: Int?) {
    func order(_ rank: Int?) -> OrderKey? {
      guard let rank, staying.indices.contains(rank) else { return nil }
      return locals[staying[rank]].order
    }
    guard let next else {
      let last = staying.isEmpty ? nil : staying.count - 1
      return (order(last), nil, last)
    }
    if let before, let rank = ranks[before] { return (order(rank), order(rank + 1), rank) }
    let rank = ranks[next].map { $0 - 1 } ?? -1
    return (order(rank), order(rank + 1), rank >= 0 ? rank : nil)
  }

  /// The whole folder with new keys, the runs where they belong.
  private func rekeyed(_ staying: [Int], _ runs: [(after: Int?, locals: [Int])]) -> [Placement] {
    var following: [Int: [Int]] = [:]
    for run in runs { following[run.after ?? -1, default: []] += run.locals }
    var sequence = following[-1] ?? []
    for (rank, local) in staying.enumerated() { sequence += [local] + (following[rank] ?? []) }
    let keys = OrderKeys.fresh(sequence.count, tag: tag)
    return zip(sequence, keys).map { Placement(local: $0, order: $1) }
  }
}
