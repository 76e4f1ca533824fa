package import BrowsingData

/// Counts what a destination cannot hold, by kind of record, field and reason, in the order in which it is met.
package struct LossCounter {
  private struct Key: Hashable {
    var type: DataType
    var field: String
    var why: String
  }

  private var counts: [Key: Int] = [:]
  private var order: [Key] = []

  /// An empty one.
  package init() {}

  /// Counts one record (or `count`) whose field is lost. `field` is a name of records.md; `why` is in words.
  package mutating func add(_ type: DataType, _ field: String, why: String, count: Int = 1) {
    guard count > 0 else { return }
    let key = Key(type: type, field: field, why: why)
    if let known = counts[key] {
      counts[key] = known &+ count
    } else {
      counts[key] = count
      order.append(key)
    }
  }

  /// What was counted.
  package var losses: [Loss] {
    order.map { Loss(type: $0.type, field: $0.field, count: counts[$0] ?? 0, why: $0.why) }
  }
}
