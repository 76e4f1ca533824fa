import BrowsingData
import Merge

/// The numbers of the fields that a schedule knows.
enum Field {
  static let kind: UInt64 = 1
  static let title: UInt64 = 2
  static let url: UInt64 = 3
  static let place: UInt64 = 4
  static let occurrence: UInt64 = 5
}

/// Where a bookmark stands, as bytes.
struct Place: Hashable {
  var parent: RecordID
  var order: OrderKey
  var previous: RecordID?

  init(_ parent: RecordID, _ order: OrderKey, _ previous: RecordID? = nil) {
    self.parent = parent
    self.order = order
    self.previous = previous
  }

  init(_ bytes: [UInt8]) {
    parent = RecordID(bytes: bytes[0..<16])!
    let hasPrevious = bytes[16] == 1
    previous = hasPrevious ? RecordID(bytes: bytes[17..<33])! : nil
    order = OrderKey(bytes[(hasPrevious ? 33 : 17)...])!
  }

  var bytes: [UInt8] { parent.bytes + (previous.map { [1] + $0.bytes } ?? [0]) + order.bytes }
}

/// A record of a simulated store: the state that the product holds, and what only the judge may know.
struct SimulatedRecord {
  var state = RecordState()
  /// The operations of which the state is made.
  var history = BitSet()
  /// Its part of the view; nil when it is deleted.
  var node: BookmarkNode?

  var place: Place? { field(Field.place).map { Place($0) } }

  func field(_ number: UInt64) -> [UInt8]? {
    guard state.versions.count == 1 else { return state.fields.first { $0.number == number }?.value }
    for field in state.versions[0].fields where field.number == number { return field.value }
    return nil
  }

  /// What the view sees of it.
  mutating func refresh(_ id: RecordID, _ options: SimulationOptions, salt: UInt64) {
    guard state.isAlive else { return node = nil }
    let fields = state.fields
    func value(_ number: UInt64) -> StampedField { fields[Int(number) - 1] }
    let place = Place(value(Field.place).value!)
    let kind = Bookmark.Kind(rawValue: value(Field.kind).value![0])!
    var content = ContentKey(
      high: UInt64(kind.rawValue) << 32 | number(value(Field.url).value!), low: number(value(Field.title).value!))
    var occurrence = Int(number(value(Field.occurrence).value!))
    var order = place.order
    var placed = value(Field.place).stamp
    if options.has(.noGrouping) { content = ContentKey(high: id.high, low: id.low) }
    if options.has(.noOccurrence) { occurrence = 0 }
    if options.has(.noTieBreak) { order = OrderKey(Array(order.bytes[0..<6]) + mixed(id, salt)) ?? order }
    if options.has(.localCycleChoice) {
      placed.time = Int64(mixed(id, salt).reduce(0) { $0 << 8 | UInt64($1) })
    }
    node = BookmarkNode(
      id: id, parent: place.parent, previousParent: place.previous, kind: kind, content: content,
      occurrence: occurrence, order: order, placed: placed)
  }

  private func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  private func mixed(_ id: RecordID, _ salt: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: id.high ^ salt &* 0x9E37_79B9_7F4A_7C15)
    let word = random.next()
    return (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
  }
}
