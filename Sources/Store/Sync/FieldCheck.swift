internal import BrowsingData
internal import Merge

/// What the fields of a peer's record must be, so that nothing that reads them later finds what no store writes. Numbers
/// that are not known here are those of a newer version: they are kept as they are.
enum FieldCheck {
  /// The end of the year 9999 in milliseconds. A clock may be wrong by years; nothing is clamped by our own.
  static let latestStamp: Int64 = 253_402_300_799_999

  /// What is wrong with a version's fields; nil when nothing is.
  static func problem(of fields: [StampedField], _ type: DataType) -> String? {
    guard zip(fields, fields.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
      return "a field of it comes twice"
    }
    for field in fields {
      guard let value = field.value, let problem = problem(of: value, field.number, type) else { continue }
      return problem
    }
    guard type == .bookmarks else { return nil }
    let kind = fields.first { $0.number == FieldNumber.kind }?.value
    guard kind?.count == 1, kind?.first.flatMap(Bookmark.Kind.init(rawValue:)) != nil,
      fields.contains(where: { $0.number == FieldNumber.place && $0.value != nil })
    else { return "it has no kind or no place" }
    return nil
  }

  private static func problem(of value: [UInt8], _ number: UInt64, _ type: DataType) -> String? {
    if number == FieldNumber.place {
      guard type == .bookmarks, let place = BookmarkPlace(value), place.order.count <= OrderKey.maximumLength else {
        return "its place is none"
      }
      return nil
    }
    if times.contains(number) {
      guard value.count == 8 else { return "a time of it is none" }
      let time = Int64(bitPattern: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      return Timestamp(microseconds: time).isPlausible ? nil : "a time of it is outside of 1970 to 2200"
    }
    if texts.contains(number) {
      guard value.count <= RecordLimits.maximumText else { return "a text of it is larger than 128 KiB" }
      return String(validating: value, as: UTF8.self) == nil ? "a text of it is no UTF-8" : nil
    }
    return nil
  }

  private static let times: Set<UInt64> = [
    FieldNumber.dateAdded, FieldNumber.dateModified, FieldNumber.lastVisitedAt, FieldNumber.dateCreated,
    FieldNumber.dateLastUsed, FieldNumber.datePasswordChanged, FieldNumber.lastUsedAt,
  ]

  private static let texts: Set<UInt64> = [
    FieldNumber.title, FieldNumber.url, FieldNumber.keyword, FieldNumber.postData, FieldNumber.description,
    FieldNumber.charset, FieldNumber.icon, FieldNumber.iconURI, FieldNumber.guid, FieldNumber.preview,
    FieldNumber.developer, FieldNumber.identifier, FieldNumber.storeIdentifier, FieldNumber.store,
    FieldNumber.version, FieldNumber.homepage, FieldNumber.username, FieldNumber.password, FieldNumber.notes,
    FieldNumber.otpauth, FieldNumber.httpRealm, FieldNumber.formAction, FieldNumber.number, FieldNumber.holder,
    FieldNumber.profile,
  ]
}
