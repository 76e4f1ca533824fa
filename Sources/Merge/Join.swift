extension RecordState {
  /// What holds when both states are known: a version stays unless the other side has seen it and no longer has it.
  /// Commutative, associative, idempotent: whatever the order and however often, all devices end equal.
  package func joined(with other: RecordState) -> RecordState {
    var result = RecordState()
    result.versions = surviving(of: self, against: other, keepShared: true)
    result.versions += surviving(of: other, against: self, keepShared: false)
    result.versions.sort { $0.dot < $1.dot }
    result.context = context.joined(with: other.context)
    result.newest = max(newest, other.newest)
    switch (grave, other.grave) {
    case (let mine?, let theirs?): result.grave = max(mine, theirs)
    case (let one?, nil), (nil, let one?): result.grave = one
    case (nil, nil): result.grave = nil
    }
    return result
  }

  private func surviving(of left: RecordState, against right: RecordState, keepShared: Bool) -> [Version] {
    left.versions.filter { version in
      if right.versions.contains(where: { $0.dot == version.dot }) { return keepShared }
      return !right.context.covers(version.dot)
    }
  }
}
