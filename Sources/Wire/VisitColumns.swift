import BrowsingData

/// The columns of a batch of visits while they are written. One that would only say what is true anyway is left out.
struct VisitColumns {
  var sequences = ByteWriter()
  var pages = ByteWriter()
  var times = ByteWriter()
  var transitions = ByteWriter()
  var flags = ByteWriter()
  var links = ByteWriter()
  var linkPages = ByteWriter()
  var linkDeltas = ByteWriter()
  var occurrences = ByteWriter()
  var profiles = ByteWriter()
  var formers = ByteWriter()
  private var has = (transition: false, flags: false, link: false, occurrence: false, profile: false, former: false)
  private var hasAttributes = false

  mutating func reserve(_ count: Int) {
    sequences.reserve(count)
    pages.reserve(count * 4)
    times.reserve(count * 5)
    transitions.reserve(count)
    flags.reserve(count)
    links.reserve(count)
    occurrences.reserve(count)
    profiles.reserve(count)
    formers.reserve(count)
  }

  mutating func note(_ visit: VisitBatch.Visit) {
    has.transition = has.transition || visit.transition != 0
    has.flags = has.flags || visit.flags.rawValue != 0
    has.link = has.link || visit.linkPage != 0
    has.occurrence = has.occurrence || visit.occurrence != 0
    has.profile = has.profile || visit.profile != 0
    has.former = has.former || visit.was != 0
    hasAttributes = hasAttributes || visit.attributes >= 0
  }

  func finish(_ batch: VisitBatch) -> [UInt8] {
    var fields = TLVWriter()
    fields.natural(2, batch.visits.count)
    fields.bytes(4, sequences.bytes)
    fields.bytes(6, pages.bytes)
    fields.bytes(8, times.bytes)
    if has.transition { fields.bytes(10, transitions.bytes) }
    if has.flags { fields.bytes(12, flags.bytes) }
    if has.link { fields.bytes(14, links.bytes) }
    if linkPages.count > 0 {
      fields.bytes(16, linkPages.bytes)
      fields.bytes(18, linkDeltas.bytes)
    }
    if has.occurrence { fields.bytes(20, occurrences.bytes) }
    if batch.profiles.count > 1 {
      fields.texts(22, Array(batch.profiles.dropFirst()))
      if has.profile { fields.bytes(24, profiles.bytes) }
    }
    if has.former { fields.bytes(26, formers.bytes) }
    if hasAttributes { fields.bytesUnlessEmpty(28, VisitColumns.attributes(batch)) }
    return fields.finish()
  }

  private static func attributes(_ batch: VisitBatch) -> [UInt8] {
    var writer = ByteWriter()
    var previous = -1
    for (row, visit) in batch.visits.enumerated() where visit.attributes >= 0 {
      let attributes = batch.attributes[Int(visit.attributes)]
      guard !attributes.isEmpty else { continue }
      writer.varint(UInt64(row - previous))
      writer.counted(encode(attributes))
      previous = row
    }
    return writer.bytes
  }

  private static func encode(_ attributes: VisitBatch.Attributes) -> [UInt8] {
    var fields = TLVWriter(unknown: attributes.unknown)
    if attributes.visitCount != 1 { fields.natural(3, attributes.visitCount) }
    for (number, link) in [(5 as UInt64, attributes.destination), (7, attributes.referrer)] {
      guard let link else { continue }
      var map = TLVWriter()
      map.text(2, link.url)
      map.signed(4, link.visitedAt.microseconds)
      fields.bytes(number, map.finish())
    }
    return fields.finish()
  }
}

extension TLVWriter {
  fileprivate mutating func bytesUnlessEmpty(_ number: UInt64, _ value: [UInt8]) {
    if !value.isEmpty { bytes(number, value) }
  }
}
