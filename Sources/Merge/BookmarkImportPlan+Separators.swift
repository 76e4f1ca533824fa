internal import BrowsingData

extension BookmarkImportPlan {
  /// Decides on separators that were held, now that their neighbours have come: one meets another where both stand
  /// between the same matched siblings, one for one; else it is new. Gives the decisions in the order of `held`.
  package mutating func settle(_ held: [IncomingBookmark]) -> [BookmarkDecision] {
    var decisions = [BookmarkDecision](repeating: .waits, count: held.count)
    var byParent: [RecordID: [Int]] = [:]
    for (index, separator) in held.enumerated() { byParent[place(separator).parent, default: []].append(index) }
    for parent in byParent.keys.sorted() {
      guard let indices = byParent[parent], let slot = slot(ofIncoming: parent) else { continue }
      let wanted = gaps(of: indices.map { held[$0] }, in: parent, slot)
      let found = pair(wanted.gaps, with: gapsHere(slot, wanted.common))
      for (index, place) in indices.enumerated() {
        if let local = found[index] {
          claim(local, followsSource: false)
          note(held[place], as: local)
          decisions[place] = .sameContent(local)
        } else {
          decisions[place] = .added(add(held[place], to: slot))
        }
      }
    }
    return decisions
  }

  /// The matched siblings around a separator; -1 at the ends, -2 for "whatever".
  private struct Gap: Hashable {
    var before: Int
    var after: Int
  }

  /// First those with the same neighbours on both sides, then on one.
  private func pair(_ wanted: [Gap], with there: [(local: Int, gap: Gap)]) -> [Int?] {
    var found = [Int?](repeating: nil, count: wanted.count)
    var taken: Set<Int> = []
    let forms: [(Gap) -> Gap] = [
      { $0 }, { Gap(before: $0.before, after: -2) }, { Gap(before: -2, after: $0.after) },
    ]
    for form in forms {
      var queues: [Gap: [Int]] = [:]
      for other in there.reversed() where !taken.contains(other.local) {
        queues[form(other.gap), default: []].append(other.local)
      }
      for index in wanted.indices where found[index] == nil {
        guard let local = queues[form(wanted[index])]?.popLast() else { continue }
        found[index] = local
        taken.insert(local)
      }
    }
    return found
  }

  private func gaps(
    of separators: [IncomingBookmark], in parent: RecordID, _ slot: Int
  ) -> (gaps: [Gap], common: Set<Int>) {
    var folder = sourceFolders[parent] ?? SourceFolder()
    let came = arrived(in: parent, &folder, slot).filter { !isNew($0.local) && locals[$0.local].kind != .separator }
    let places = came.map { ($0.rank, $0.position) }
    let gaps = separators.map { separator in
      let own = (place(separator).rank, separator.position)
      var low = 0
      var high = places.count
      while low < high {
        let middle = (low + high) / 2
        if places[middle] < own { low = middle + 1 } else { high = middle }
      }
      return Gap(before: low > 0 ? came[low - 1].local : -1, after: low < came.count ? came[low].local : -1)
    }
    return (gaps, Set(came.map(\.local)))
  }

  /// The unclaimed separators of a folder here, each with the matched siblings around it.
  private func gapsHere(_ slot: Int, _ common: Set<Int>) -> [(local: Int, gap: Gap)] {
    let siblings = (children[slot] ?? []).map { Int($0) }.sorted {
      (locals[$0].order, locals[$0].id) < (locals[$1].order, locals[$1].id)
    }
    var result: [(local: Int, gap: Gap)] = []
    var open: [Int] = []
    var before = -1
    func close(_ after: Int) {
      result += open.map { ($0, Gap(before: before, after: after)) }
      open = []
    }
    for local in siblings {
      if common.contains(local) {
        close(local)
        before = local
      } else if locals[local].kind == .separator, !locals[local].isClaimed, !reserved.contains(Int32(local)) {
        open.append(local)
      }
    }
    close(-1)
    return result
  }

  /// Whether it came with this run: its place says nothing about the folder as it was.
  private func isNew(_ local: Int) -> Bool { local >= existing }
}
