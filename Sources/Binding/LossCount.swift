internal import BrowsingData

/// Counts what a browser cannot hold, by kind and field.
struct LossCount {
  private struct Key: Hashable {
    var type: DataType
    var loss: FieldLoss
  }
  private var counts: [Key: Int] = [:]

  /// A record loses this.
  mutating func add(_ type: DataType, _ loss: FieldLoss, count: Int = 1) {
    guard count > 0 else { return }
    counts[Key(type: type, loss: loss), default: 0] += count
  }

  /// All of them, in a fixed order.
  var losses: [Loss] {
    counts.map { Loss(type: $0.key.type, field: $0.key.loss.field, count: $0.value, why: $0.key.loss.why) }
      .sorted { ($0.type, $0.field, $0.why) < ($1.type, $1.field, $1.why) }
  }
}
