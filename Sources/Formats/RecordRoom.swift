/// A batch of records that is filled again and again. A record takes the place of one that was handed over before, whose
/// texts are let go just then: their memory is at hand for the new one's, which is half of what a record costs.
struct RecordRoom<Record> {
  private var records: [Record]
  private var count = 0

  /// Few enough for the processor's nearest caches.
  static var usualSize: Int { 128 }

  /// `blank` stands where no record was put yet.
  init(_ blank: Record, size: Int = usualSize) { records = Array(repeating: blank, count: size) }

  /// Whether nothing was added since the last `take`.
  var isEmpty: Bool { count == 0 }
  /// Whether there is no room for a further record.
  var isFull: Bool { count == records.count }

  /// Makes a record where it stays, out of an older one: `make` sets every field that the blank one does not say for all.
  /// Nothing is added when it says false. There must be room.
  @inline(__always)
  mutating func add(_ make: (inout Record) -> Bool) {
    if make(&records[count]) { count &+= 1 }
  }

  /// What was added since the last time. Whoever keeps it keeps it as it is.
  mutating func take() -> [Record] {
    defer { count = 0 }
    return isFull ? records : Array(records[..<count])
  }
}
