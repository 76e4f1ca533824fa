import BrowsingData

/// The first look at a history file: is it whole, how many visits does it hold, which redirect hops have their partner
/// in the file, and where may equal visits stand? Its memory grows with the hops that have none, up to a bound, not with the
/// visits.
struct SafariHistorySurvey {
  /// How many entries are visits.
  private(set) var visits = 0
  /// How many hops name a visit that is not in the file.
  private(set) var danglingHops = 0
  /// Optional fields that were passed over.
  private(set) var oddFields = 0
  /// Whether `schema_version` is newer than what is known here.
  private(set) var isNewer = false
  /// Times that several visits have.
  private(set) var repeatedTimes: Set<Int64> = []
  /// The time a partner really has, by the hash and time that a hop names.
  private(set) var corrections: [SafariHop: Int64] = [:]

  /// Looks through a file, a second time only when the first left hops without partner, or the times are not in order.
  init(_ input: any ByteInput, hash: TextHash) throws {
    var hops = HopPartners()
    var order = TimeOrder()
    var shape = SafariHistoryEntry.Shape()
    let envelope = try SafariEnvelope.read(.history, from: input) { scanner, _ in
      try scanner.beginEntry()
      let entry = try SafariHistoryEntry.read(&scanner, &shape)
      defer { scanner.endEntry() }
      guard entry.problem == nil else { return }
      visits &+= 1
      oddFields &+= entry.oddFields
      if order.add(entry.time) { repeatedTimes.insert(entry.time) }
      hops.found(SafariHop(hash(entry.url, &scanner), entry.time))
      if entry.source.isWhole { hops.wanted(SafariHop(hash(entry.source.url, &scanner), entry.source.time)) }
      if entry.destination.isWhole {
        hops.wanted(SafariHop(hash(entry.destination.url, &scanner), entry.destination.time))
      }
    }
    isNewer = envelope.isNewer
    if !hops.isSettled || !order.isOrdered {
      try lookAgain(input, hash, &hops, collectsTimes: !order.isOrdered)
    }
    danglingHops = hops.settle(into: &corrections)
  }

  private mutating func lookAgain(
    _ input: any ByteInput, _ hash: TextHash, _ hops: inout HopPartners, collectsTimes: Bool
  ) throws {
    var times: [Int64] = []
    let seeksHops = !hops.isSettled
    var shape = SafariHistoryEntry.Shape()
    _ = try SafariEnvelope.read(.history, from: input) { scanner, _ in
      try scanner.beginEntry()
      let entry = try SafariHistoryEntry.read(&scanner, &shape)
      defer { scanner.endEntry() }
      guard entry.problem == nil else { return }
      if collectsTimes { times.append(entry.time) }
      if seeksHops { hops.found(SafariHop(hash(entry.url, &scanner), entry.time)) }
    }
    times.sort()
    for index in times.indices.dropFirst() where times[index] == times[index - 1] {
      repeatedTimes.insert(times[index])
    }
  }
}

/// A visit as a hop names it: the hash of an address and a time.
struct SafariHop: Hashable {
  let hash: UInt64
  let time: Int64

  init(_ hash: UInt64, _ time: Int64) {
    self.hash = hash
    self.time = time
  }
}

/// Whether times only rise or only fall; equal ones then stand together.
private struct TimeOrder {
  private var last: Int64?
  private var rises = false
  private var falls = false
  var isOrdered: Bool { !(rises && falls) }

  /// True when the visit before had the same time.
  mutating func add(_ time: Int64) -> Bool {
    defer { last = time }
    guard let last else { return false }
    if time > last { rises = true }
    if time < last { falls = true }
    return time == last
  }
}

/// Finds for each hop the visit it names: the one with exactly its time, else the nearest within a millisecond (Safari's
/// times pass through a floating-point number).
private struct HopPartners {
  private struct Open {
    var hops = 0
    var partner: Int64?
  }

  private static let tolerance: Int64 = 1000
  private static let recentSets = 1 << 11
  private static let recentWays = 4
  private static let filterBits = 1 << 16
  /// So many hops without partner are remembered. Those beyond are taken for dangling: a file can be made of nothing else.
  private static let maximumOpen = 1 << 16

  /// Hops without an exact partner so far.
  private var open: [SafariHop: Open] = [:]
  /// The times in `open` by address and second, so that near ones are found.
  private var times: [SafariHop: [Int64]] = [:]
  /// The last visits as one word each, in sets of four: partners mostly stand near each other. A visit leaves only after
  /// four later ones of its set.
  private var recent = [UInt64](repeating: 0, count: recentSets * recentWays)
  /// A bit for each hash that is in `open`, or was: small enough for the processor's nearest cache.
  private var filter = [UInt64](repeating: 0, count: filterBits / 64)
  /// How many hashes were put into the filter since it was empty.
  private var filtered = 0
  /// How many hops were not remembered.
  private var forgotten = 0

  var isSettled: Bool { open.isEmpty }

  /// A hop names this visit.
  mutating func wanted(_ hop: SafariHop) {
    let word = word(hop)
    let set = set(word)
    for way in 0..<HopPartners.recentWays where recent[set &+ way] == word { return }
    if open.isEmpty, filtered > HopPartners.filterBits / 256 { clearFilter() }
    if open.count >= HopPartners.maximumOpen, open[hop] == nil {
      forgotten += 1
      return
    }
    if open[hop, default: Open()].hops == 0 {
      times[bucket(hop, 0), default: []].append(hop.time)
      filter[Int(hop.hash >> 6) & (filter.count - 1)] |= 1 << (hop.hash & 63)
      filtered += 1
    }
    open[hop, default: Open()].hops += 1
  }

  private mutating func clearFilter() {
    for index in filter.indices { filter[index] = 0 }
    filtered = 0
  }

  /// The file holds this visit.
  @inline(__always)
  mutating func found(_ visit: SafariHop) {
    let word = word(visit)
    let set = set(word)
    recent.withUnsafeMutableBufferPointer { recent in
      for way in stride(from: set &+ HopPartners.recentWays &- 1, to: set, by: -1) { recent[way] = recent[way &- 1] }
      recent[set] = word
    }
    if open.isEmpty { return }
    if filter[Int(visit.hash >> 6) & (filter.count - 1)] & (1 << (visit.hash & 63)) != 0 { match(visit) }
  }

  private mutating func match(_ visit: SafariHop) {
    for step in -1...1 {
      let bucket = bucket(visit, Int64(step))
      guard let near = times[bucket] else { continue }
      for time in near {
        let distance = (time &- visit.time).magnitude
        if distance == 0 {
          open[visit] = nil
          let rest = near.filter { $0 != time }
          times[bucket] = rest.isEmpty ? nil : rest
        } else if distance <= HopPartners.tolerance.magnitude {
          let hop = SafariHop(visit.hash, time)
          let known = open[hop]?.partner.map { ($0 &- time).magnitude } ?? .max
          if distance < known { open[hop]?.partner = visit.time }
        }
      }
    }
  }

  /// Puts the partners that are not exact into `corrections`, and says how many hops have none.
  mutating func settle(into corrections: inout [SafariHop: Int64]) -> Int {
    var dangling = forgotten
    for (hop, found) in open {
      if let partner = found.partner { corrections[hop] = partner } else { dangling += found.hops }
    }
    return dangling
  }

  /// A visit as one word. Nobody can choose visits with the same one: the hash has a random key.
  @inline(__always)
  private func word(_ hop: SafariHop) -> UInt64 {
    (hop.hash ^ (UInt64(bitPattern: hop.time) &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
  }

  /// Where the set of such a word starts.
  @inline(__always)
  private func set(_ word: UInt64) -> Int {
    (Int(truncatingIfNeeded: word >> 44) & (HopPartners.recentSets - 1)) &* HopPartners.recentWays
  }

  private func bucket(_ hop: SafariHop, _ step: Int64) -> SafariHop { SafariHop(hop.hash, (hop.time >> 10) &+ step) }
}
