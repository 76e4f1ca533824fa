internal import BrowsingData
internal import Merge

/// A kind of record that is found again by a key of its own.
protocol KeyedRecord {
  static var type: DataType { get }
  var id: RecordID { get }
  /// Equal for records that are one.
  var key: ContentKey { get }
  var fields: FieldList { get }
  init(_ id: RecordID, _ fields: FieldList)
  /// The fields within the limits, in clear; nil when it may not be taken.
  mutating func checked(_ limits: inout RecordLimits) -> FieldList?
  func merged(over known: Self, _ rule: MergeRule) -> Self
}

extension ReadingListItem: KeyedRecord {
  static var type: DataType { .readingList }
  var key: ContentKey { ContentHash.of([url, profile]) }
  var fields: FieldList { RecordContent.fields(self) }
  init(_ id: RecordID, _ fields: FieldList) { self = RecordContent.readingListItem(id, fields) }
  mutating func checked(_ limits: inout RecordLimits) -> FieldList? {
    limits.time(&dateAdded, "date_added")
    limits.time(&lastVisitedAt, "last_visited_at")
    let fields = self.fields
    return limits.allows(fields) ? fields : nil
  }
  func merged(over known: ReadingListItem, _ rule: MergeRule) -> ReadingListItem {
    KeyedMerge.merged(self, over: known, rule)
  }
}

extension BrowserExtension: KeyedRecord {
  static var type: DataType { .extensions }
  var key: ContentKey { ContentHash.of([identifier, profile]) }
  var fields: FieldList { RecordContent.fields(self) }
  init(_ id: RecordID, _ fields: FieldList) { self = RecordContent.browserExtension(id, fields) }
  mutating func checked(_ limits: inout RecordLimits) -> FieldList? {
    let fields = self.fields
    return limits.allows(fields) ? fields : nil
  }
  func merged(over known: BrowserExtension, _ rule: MergeRule) -> BrowserExtension {
    KeyedMerge.merged(self, over: known, rule)
  }
}

extension PaymentCard: KeyedRecord {
  static var type: DataType { .cards }
  /// Lives in memory only: a hash of a number can be searched back.
  var key: ContentKey { ContentHash.of([number]) }
  var fields: FieldList { RecordContent.fields(self) }
  init(_ id: RecordID, _ fields: FieldList) { self = RecordContent.paymentCard(id, fields) }
  mutating func checked(_ limits: inout RecordLimits) -> FieldList? {
    limits.time(&lastUsedAt, "last_used_at")
    let fields = self.fields
    return limits.allows(fields) ? fields : nil
  }
  func merged(over known: PaymentCard, _ rule: MergeRule) -> PaymentCard { KeyedMerge.merged(self, over: known, rule) }
}
