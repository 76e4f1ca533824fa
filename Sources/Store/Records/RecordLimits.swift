internal import BrowsingData

/// What a record must keep to before it comes into the store: protocol.md's limits, so that no record is refused only on
/// the wire, and records.md's times. Nothing is cut: a record that is too large is skipped with its reason.
struct RecordLimits {
  static let maximumText = 128 * 1_024
  static let maximumRecord = 512 * 1_024

  private(set) var remarks: [Remark] = []
  private let type: DataType
  private let id: RecordID

  init(_ type: DataType, _ id: RecordID) {
    self.type = type
    self.id = id
  }

  /// An optional time, dropped with a warning when no record may hold it.
  mutating func time(_ time: inout Timestamp?, _ name: String) {
    guard let value = time, !value.isPlausible else { return }
    time = nil
    warn("\(name) is before 1970 or after 2199 and was left out")
  }

  /// An icon, dropped with a warning when it is too large.
  mutating func icon(_ icon: inout String?, _ name: String) {
    guard let value = icon, value.utf8.count > RecordLimits.maximumText else { return }
    icon = nil
    warn("\(name) is larger than 128 KiB and was left out")
  }

  /// Whether the record may be taken; adds the reason when not.
  mutating func allows(_ fields: FieldList, overhead: Int = 64) -> Bool {
    var size = overhead
    for field in fields.fields {
      size += field.value.count + 8
      if field.value.count > RecordLimits.maximumText, !RecordLimits.isList(field.number) {
        return skip("a text of it is larger than 128 KiB")
      }
    }
    guard size <= RecordLimits.maximumRecord else { return skip("it is larger than 512 KiB") }
    return true
  }

  /// Whether each text of a list may be taken.
  mutating func allows(texts: [String]) -> Bool {
    texts.allSatisfy { $0.utf8.count <= RecordLimits.maximumText } ? true : skip("a text of it is larger than 128 KiB")
  }

  mutating func skip(_ reason: String) -> Bool {
    remarks.append(Remark(.skipped, type: type, place: .id(id.description), reason: reason))
    return false
  }

  private mutating func warn(_ reason: String) {
    remarks.append(Remark(.warning, type: type, place: .id(id.description), reason: reason))
  }

  private static func isList(_ number: UInt64) -> Bool {
    [FieldNumber.tags, FieldNumber.urls, FieldNumber.attributes, FieldNumber.unknown].contains(number)
  }
}
