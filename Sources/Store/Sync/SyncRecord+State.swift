internal import BrowsingData
internal import Merge

extension SyncRecord {
  /// A row as it is sent; secrets are in clear.
  init(_ row: RecordRow, _ state: RecordState) {
    self.init(
      sequence: row.sequence & sequenceMask, id: row.id, context: SyncRecord.dots(state.context),
      newest: state.newest,
      grave: state.grave.map { SyncGrave(stamp: SyncStamp($0.stamp), parent: $0.parent) },
      versions: state.versions.map { version in
        SyncVersion(
          dot: SyncDot(version.dot), seen: SyncRecord.dots(version.seen),
          fields: version.fields.map { SyncField(number: $0.number, stamp: SyncStamp($0.stamp), value: $0.value) })
      })
  }

  private static func dots(_ vector: VersionVector) -> [SyncDot] {
    vector.entries.map { SyncDot(incarnation: $0.replica, counter: $0.counter) }
  }

  /// About how many bytes it takes on the wire.
  var weight: Int {
    let head = 64 + context.count * 28
    return versions.reduce(head) { size, version in
      version.fields.reduce(size + 40 + version.seen.count * 12) { $0 + 40 + ($1.value?.count ?? 0) }
    }
  }

  /// The state that it says, or why no store would write such a one. What it holds is not trusted.
  func state(of type: DataType) -> Result<RecordState, RefusedState> {
    guard !id.isRoot else { return .failure(RefusedState("it has the id of a root")) }
    guard context.count <= SyncRecord.maximumContext, versions.count <= SyncRecord.maximumVersions else {
      return .failure(RefusedState("too many edits of it stand side by side"))
    }
    var state = RecordState()
    state.context = SyncRecord.vector(context)
    state.newest = newest
    state.grave = grave.map { Grave(stamp: Stamp($0.stamp), parent: $0.parent) }
    var times = [newest] + (grave.map { [$0.stamp.time] } ?? [])
    var size = 64
    for version in versions {
      guard version.seen.count <= SyncRecord.maximumContext, state.context.covers(Dot(version.dot)) else {
        return .failure(RefusedState("it names edits that it has not seen"))
      }
      let fields = version.fields.map { StampedField(number: $0.number, stamp: Stamp($0.stamp), value: $0.value) }
      state.versions.append(
        RecordState.Version(dot: Dot(version.dot), seen: SyncRecord.vector(version.seen), fields: fields))
      times += fields.map(\.stamp.time)
      size += fields.reduce(0) { $0 + 8 + ($1.value?.count ?? 0) }
      if let problem = FieldCheck.problem(of: fields, type) { return .failure(RefusedState(problem)) }
    }
    state.versions.sort { $0.dot < $1.dot }
    guard zip(state.versions, state.versions.dropFirst()).allSatisfy({ $0.dot != $1.dot }) else {
      return .failure(RefusedState("one edit of it comes twice"))
    }
    guard size <= RecordLimits.maximumRecord else { return .failure(RefusedState("it is larger than 512 KiB")) }
    guard times.allSatisfy({ $0 >= 0 && $0 <= FieldCheck.latestStamp }), newest >= times.max() ?? 0 else {
      return .failure(RefusedState("a time of it is none"))
    }
    guard allDots.allSatisfy({ $0.counter > 0 && $0.counter < 1 << 62 }) else {
      return .failure(RefusedState("an edit of it has no number"))
    }
    return .success(state)
  }

  private var allDots: [SyncDot] {
    context + (grave.map { [$0.stamp.dot] } ?? [])
      + versions.flatMap { [$0.dot] + $0.seen + $0.fields.map(\.stamp.dot) }
  }

  private static func vector(_ dots: [SyncDot]) -> VersionVector {
    VersionVector(dots.map { VersionVector.Entry(replica: $0.incarnation, counter: $0.counter) })
  }
}

/// Why a record of a peer is not taken.
struct RefusedState: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}

extension SyncDot {
  init(_ dot: Dot) { self.init(incarnation: dot.replica, counter: dot.counter) }
}

extension SyncStamp {
  init(_ stamp: Stamp) { self.init(time: stamp.time, dot: SyncDot(stamp.dot)) }
}

extension Dot {
  init(_ dot: SyncDot) { self.init(replica: dot.incarnation, counter: dot.counter) }
}

extension Stamp {
  init(_ stamp: SyncStamp) { self.init(time: stamp.time, dot: Dot(stamp.dot)) }
}
