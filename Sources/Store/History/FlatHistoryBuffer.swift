internal import BrowsingData

/// Visits that carry their addresses, held until they can be written as pages and visits in a large chunk.
struct FlatHistoryBuffer {
  private(set) var pages: [PageRow] = []
  private(set) var visits: [VisitRow] = []
  private(set) var text: [UInt8] = []
  private var attributes: [UInt8] = []
  /// Profiles' part of the hash, for each visit.
  private var profileHashes: [UInt64] = []
  /// Redirect destinations, by visit: kept only where the other visit does not say it back.
  private var destinations: [(visit: Int, attributes: VisitBatch.Attributes)] = []
  /// Open addressing over `pages`, by address; -1 is free. The size is a power of two.
  private var slots = [Int32](repeating: -1, count: 1 << 12)

  static let longestText = 128 << 10

  /// 50,000 visits or 12 MiB of text: sorting pays, and memory stays bounded.
  var isFull: Bool { visits.count >= 50_000 || text.count >= 12 << 20 }

  /// Why a visit cannot be taken; nil when it can.
  static func problem(of visit: HistoryVisit) -> String? {
    if !visit.visitedAt.isPlausible { return "its time is outside of 1970 to 2200" }
    if visit.url.isEmpty { return "it has no address" }
    if visit.url.utf8.count > longestText { return "its address is longer than 128 KiB" }
    return nil
  }

  /// What of a visit is left out; nil when nothing is.
  static func warning(of visit: HistoryVisit) -> String? {
    if (visit.title?.utf8.count ?? 0) > longestText { return "its title is longer than 128 KiB and was left out" }
    for link in [visit.redirectSource, visit.redirectDestination, visit.referrer] {
      guard let link, !isTakeable(link) else { continue }
      return "a link to another visit has no plausible time or address and was left out"
    }
    return nil
  }

  private static func isTakeable(_ link: HistoryVisit.Link) -> Bool {
    link.visitedAt.isPlausible && !link.url.isEmpty && link.url.utf8.count <= longestText
  }

  /// Adds a visit that has no `problem`.
  mutating func add(_ visit: HistoryVisit, profile: HistoryWriter.Profile) {
    let time = visit.visitedAt.microseconds
    let page = intern(visit.url)
    if let title = visit.title, title.utf8.count <= FlatHistoryBuffer.longestText {
      retitle(page, title, time: time)
    }
    var row = VisitRow(
      time: time, page: Int64(page), occurrence: Int32(clamping: max(0, visit.occurrence)), profile: profile.number)
    row.kind = visit.transition?.rawValue ?? 0
    if !visit.loaded { row.flags |= VisitBatch.Flags.loadFailed.rawValue }
    if !visit.httpGet { row.flags |= VisitBatch.Flags.notGet.rawValue }
    if visit.hidden { row.flags |= VisitBatch.Flags.hidden.rawValue }
    let source = visit.redirectSource.flatMap { FlatHistoryBuffer.isTakeable($0) ? $0 : nil }
    let referrer = visit.referrer.flatMap { FlatHistoryBuffer.isTakeable($0) ? $0 : nil }
    if source != nil { row.flags |= VisitBatch.Flags.linkIsRedirect.rawValue }
    row.linkPage = -1
    if let link = source ?? referrer {
      row.linkPage = Int64(intern(link.url))
      row.linkDelta = time - link.visitedAt.microseconds
    }
    var more = VisitBatch.Attributes()
    more.visitCount = Int64(max(1, visit.visitCount))
    more.referrer = source == nil ? nil : referrer
    more.unknown = visit.unknown
    if let destination = visit.redirectDestination, FlatHistoryBuffer.isTakeable(destination) {
      more.destination = destination
      destinations.append((visits.count, more))
    } else if !more.isEmpty {
      row.attributes = add(more)
    }
    visits.append(row)
    profileHashes.append(profile.hash)
  }

  /// Takes the chunk in the store's numbers. `ids[i]` is the number of page i here, `hashes[i]` its hash.
  mutating func take(pages ids: [Int64], hashes: [RowHash]) -> (rows: [VisitRow], attributes: [UInt8]) {
    placeDestinations()
    for index in visits.indices {
      let page = Int(visits[index].page)
      visits[index].page = ids[page]
      let link = Int(visits[index].linkPage)
      visits[index].linkPage = link < 0 ? 0 : ids[link]
      visits[index].hash = VisitHasher.visit(
        page: hashes[page], time: visits[index].time, occurrence: visits[index].occurrence,
        profile: profileHashes[index])
    }
    defer { self = FlatHistoryBuffer() }
    return (visits, attributes)
  }

  private struct Hop: Hashable {
    var page: Int64
    var time: Int64
    var fromPage: Int64
    var fromTime: Int64
  }

  /// A destination that the other visit says back is derived from that visit and not stored.
  private mutating func placeDestinations() {
    guard !destinations.isEmpty else { return }
    var hops: Set<Hop> = []
    for visit in visits where visit.flags & VisitBatch.Flags.linkIsRedirect.rawValue != 0 {
      hops.insert(
        Hop(page: visit.page, time: visit.time, fromPage: visit.linkPage, fromTime: visit.time - visit.linkDelta))
    }
    for (index, attributes) in destinations {
      var attributes = attributes
      if let destination = attributes.destination, let page = find(destination.url),
        hops.contains(
          Hop(
            page: Int64(page), time: destination.visitedAt.microseconds, fromPage: visits[index].page,
            fromTime: visits[index].time))
      {
        attributes.destination = nil
      }
      if !attributes.isEmpty { visits[index].attributes = add(attributes) }
    }
    destinations = []
  }

  private mutating func add(_ more: VisitBatch.Attributes) -> Range<Int32> {
    let start = Int32(attributes.count)
    attributes += VisitAttributes.encode(more)
    return start..<Int32(attributes.count)
  }

  // MARK: Pages by address

  private mutating func retitle(_ page: Int, _ title: String, time: Int64) {
    if let known = pages[page].title {
      guard time >= pages[page].titleTime else { return }
      if time == pages[page].titleTime {
        let bytes = text[Int(known.lowerBound)..<Int(known.upperBound)]
        guard bytes.lexicographicallyPrecedes(title.utf8) else { return }
      }
    }
    pages[page].title = append(title)
    pages[page].titleTime = time
  }

  private mutating func append(_ string: String) -> Range<Int32> {
    let start = Int32(text.count)
    text.append(contentsOf: string.utf8)
    return start..<Int32(text.count)
  }

  private func find(_ url: String) -> Int? {
    var url = url
    return url.withUTF8 { bytes in
      let slot = slot(of: UnsafeRawBufferPointer(bytes))
      return slots[slot] < 0 ? nil : Int(slots[slot])
    }
  }

  private mutating func intern(_ url: String) -> Int {
    var url = url
    return url.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      var slot = slot(of: raw)
      if slots[slot] >= 0 { return Int(slots[slot]) }
      if pages.count * 2 >= slots.count {
        grow()
        slot = self.slot(of: raw)
      }
      let start = Int32(text.count)
      text.append(contentsOf: bytes)
      slots[slot] = Int32(pages.count)
      pages.append(
        PageRow(url: start..<Int32(text.count), title: nil, titleTime: 0, index: Int32(pages.count)))
      return pages.count - 1
    }
  }

  /// The slot that holds the address, or the free one where it belongs.
  private func slot(of url: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: url)
    var slot = hasher.finalize() & (slots.count - 1)
    return text.withUnsafeBytes { text in
      while slots[slot] >= 0 {
        let range = pages[Int(slots[slot])].url
        if range.count == url.count, PageRow.bytes(range, of: text).elementsEqual(url) { break }
        slot = (slot + 1) & (slots.count - 1)
      }
      return slot
    }
  }

  private mutating func grow() {
    slots = [Int32](repeating: -1, count: slots.count * 2)
    text.withUnsafeBytes { text in
      for (index, page) in pages.enumerated() {
        var hasher = Hasher()
        hasher.combine(bytes: PageRow.bytes(page.url, of: text))
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(index)
      }
    }
  }
}
