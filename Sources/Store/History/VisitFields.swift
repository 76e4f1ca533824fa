internal import BrowsingData

/// The fields of a visit that may differ where two sources hold the same one, and the rule that does not depend on
/// their order: least known kind, all flags, greatest count, least link of each sort, unknown fields of both.
struct VisitFields: Hashable {
  var kind: UInt8 = 0
  /// Without `linkIsRedirect`.
  var flags: UInt8 = 0
  var count: Int64 = 1
  var redirectSource: HistoryVisit.Link?
  var referrer: HistoryVisit.Link?
  var destination: HistoryVisit.Link?
  var unknown = UnknownFields()

  func merged(with other: VisitFields) -> VisitFields {
    var result = self
    if kind == 0 || (other.kind != 0 && other.kind < kind) { result.kind = other.kind }
    result.flags |= other.flags
    result.count = max(count, other.count)
    result.redirectSource = least(redirectSource, other.redirectSource)
    result.referrer = least(referrer, other.referrer)
    result.destination = least(destination, other.destination)
    if !other.unknown.isEmpty {
      var fields = Dictionary(unknown.fields.map { ($0.number, $0.value) }) { first, _ in first }
      for field in other.unknown.fields {
        let known = fields[field.number]
        if known == nil || field.value.lexicographicallyPrecedes(known ?? []) { fields[field.number] = field.value }
      }
      result.unknown = UnknownFields(fields.map { UnknownFields.Field(number: $0.key, value: $0.value) })
    }
    return result
  }

  private func least(_ one: HistoryVisit.Link?, _ two: HistoryVisit.Link?) -> HistoryVisit.Link? {
    guard let one else { return two }
    guard let two else { return one }
    if one.visitedAt != two.visitedAt { return one.visitedAt < two.visitedAt ? one : two }
    return one.url.utf8.lexicographicallyPrecedes(two.url.utf8) ? one : two
  }

  /// The link that has columns of its own: the redirect source, else the referrer.
  var mainLink: HistoryVisit.Link? { redirectSource ?? referrer }

  /// What goes into the column `attrs`.
  var attributes: VisitBatch.Attributes {
    var attributes = VisitBatch.Attributes()
    attributes.visitCount = count
    attributes.destination = destination
    attributes.referrer = redirectSource == nil ? nil : referrer
    attributes.unknown = unknown
    return attributes
  }

  /// The flags as they are stored.
  var storedFlags: UInt8 { redirectSource == nil ? flags : flags | VisitBatch.Flags.linkIsRedirect.rawValue }

  /// From a row: `link` is what its own columns say.
  init(kind: UInt8, flags: UInt8, link: HistoryVisit.Link?, attributes: VisitBatch.Attributes) {
    self.kind = kind
    let isRedirect = flags & VisitBatch.Flags.linkIsRedirect.rawValue != 0
    self.flags = flags & ~VisitBatch.Flags.linkIsRedirect.rawValue
    count = attributes.visitCount
    redirectSource = isRedirect ? link : nil
    referrer = isRedirect ? attributes.referrer : (link ?? attributes.referrer)
    destination = attributes.destination
    unknown = attributes.unknown
  }
}
