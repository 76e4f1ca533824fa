internal import BrowsingData
internal import Merge

/// Values of fields as a person reads them in a list of conflicts.
enum ConflictText {
  /// Whether a person would miss the value. Times, counts and what no program shows are no conflict; nor is the order
  /// within one folder.
  static func isListed(_ loser: StampedField, shown: StampedField?) -> Bool {
    if loser.number == FieldNumber.place {
      return parent(loser.value) != parent(shown?.value)
    }
    return name(loser.number) != nil
  }

  /// The field's name in records.md; nil of those that are not listed.
  static func name(_ number: UInt64) -> String? {
    switch number {
    case FieldNumber.title: "title"
    case FieldNumber.url: "url"
    case FieldNumber.place: "parent"
    case FieldNumber.tags: "tags"
    case FieldNumber.keyword: "keyword"
    case FieldNumber.postData: "post_data"
    case FieldNumber.description: "description"
    case FieldNumber.read: "read"
    case FieldNumber.preview: "preview"
    case FieldNumber.enabled: "enabled"
    case FieldNumber.username: "username"
    case FieldNumber.password: "password"
    case FieldNumber.notes: "notes"
    case FieldNumber.otpauth: "otpauth"
    case FieldNumber.urls: "urls"
    case FieldNumber.httpRealm: "http_realm"
    case FieldNumber.formAction: "form_action"
    case FieldNumber.number: "number"
    case FieldNumber.holder: "holder"
    case FieldNumber.expirationMonth: "expiration_month"
    case FieldNumber.expirationYear: "expiration_year"
    default: nil
    }
  }

  /// The value as text.
  static func text(_ number: UInt64, _ value: [UInt8]) -> String {
    let list = FieldList([FieldList.Field(number: number, value: value)])
    switch number {
    case FieldNumber.place: return parent(value)?.description ?? ""
    case FieldNumber.tags, FieldNumber.urls: return list.texts(number).joined(separator: ", ")
    case FieldNumber.read, FieldNumber.enabled: return list.bool(number) == true ? "true" : "false"
    case FieldNumber.expirationMonth, FieldNumber.expirationYear: return list.int(number).map { String($0) } ?? ""
    default: return String(decoding: value, as: UTF8.self)
    }
  }

  private static func parent(_ value: [UInt8]?) -> RecordID? { value.flatMap { BookmarkPlace($0) }?.parent }
}
