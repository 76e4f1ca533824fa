internal import BrowsingData
internal import Merge

/// Where a bookmark stands, as one field: parent, order key, former parent.
struct BookmarkPlace: Equatable {
  var parent: RecordID
  var order: OrderKey
  var previousParent: RecordID?

  init(parent: RecordID, order: OrderKey, previousParent: RecordID? = nil) {
    self.parent = parent
    self.order = order
    self.previousParent = previousParent
  }

  /// nil for what no store writes.
  init?(_ bytes: [UInt8]) { self.init(bytes[...]) }

  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count > 17, let flag = bytes.first, let parent = RecordID(slice: bytes.dropFirst().prefix(16)) else {
      return nil
    }
    var rest = bytes.dropFirst(17)
    if flag == 1 {
      guard let previous = RecordID(slice: rest.prefix(16)) else { return nil }
      previousParent = previous
      rest = rest.dropFirst(16)
    }
    guard let order = OrderKey(rest) else { return nil }
    self.parent = parent
    self.order = order
  }

  var bytes: [UInt8] {
    [previousParent == nil ? 0 : 1] + parent.bytes + (previousParent?.bytes ?? []) + order.bytes
  }
}
