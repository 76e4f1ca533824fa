package import BrowsingData

/// What becomes of the order when own items are found to be a peer's: those that remain own are placed anew around the
/// peer's, so that neighbours stay neighbours. Without it each device's items would stand by keys that know nothing of
/// the other's.
package enum Adoption {
  /// One of the own items of a folder.
  package struct Item: Sendable {
    /// Its id.
    package var id: RecordID
    /// Its place among the own items.
    package var order: OrderKey
    /// The place of the peer's item that it is; nil when it is only ours.
    package var anchor: OrderKey?

    /// From its parts.
    package init(id: RecordID, order: OrderKey, anchor: OrderKey?) {
      self.id = id
      self.order = order
      self.anchor = anchor
    }
  }

  /// New keys for the own items of one folder. `others`: the keys of all items of the folder that are not only ours.
  package static func places(
    of items: [Item], among others: [OrderKey], tag: UInt32
  ) -> [(id: RecordID, order: OrderKey)] {
    guard items.contains(where: { $0.anchor != nil }) else { return [] }
    let sorted = items.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
    let keys = others.sorted()
    var result: [(id: RecordID, order: OrderKey)] = []
    var run: [RecordID] = []
    var before: OrderKey?
    for item in sorted {
      guard let anchor = item.anchor else {
        run.append(item.id)
        continue
      }
      result += places(of: run, after: before, anchor, keys, tag)
      run = []
      before = anchor
    }
    return result + places(of: run, after: before, nil, keys, tag)
  }

  /// Keys for items that stand between two anchors; where the peer has these the other way round, after the first one.
  private static func places(
    of run: [RecordID], after before: OrderKey?, _ anchor: OrderKey?, _ keys: [OrderKey], _ tag: UInt32
  ) -> [(id: RecordID, order: OrderKey)] {
    guard !run.isEmpty else { return [] }
    var low = before
    var high = anchor
    if let before, high.map({ $0 <= before }) ?? true { high = keys.first { $0 > before } }
    if low == nil, let high { low = keys.last { $0 < high } }
    guard let places = OrderKeys.spread(run.count, low, high, tag: tag) else { return [] }
    return Array(zip(run, places)).map { (id: $0.0, order: $0.1) }
  }
}
