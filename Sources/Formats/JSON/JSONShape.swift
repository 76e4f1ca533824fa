import Glibc

/// What stands between the values of an object, remembered from the objects before: `,\n    "title" : ` and the like. Three
/// gaps after each key are kept, since some members come and go. `Key` names the keys, with raw values from 1 on.
struct JSONShape<Key: RawRepresentable & CaseIterable>: ~Copyable where Key.RawValue == Int {
  /// A gap that was seen.
  struct Gap {
    var length = 0
    /// Line ends in it.
    var lines = 0
    /// The row of what may come after the value behind it.
    var row = 0
    /// The key in it; nil at the end of the object.
    var key: Key?
  }

  private static var ways: Int { 3 }
  /// A longer gap is not remembered.
  static var longest: Int { 64 }
  private let gaps: UnsafeMutablePointer<Gap>
  /// The bytes of each gap, zeros behind them, and then as many bytes that say which of them count.
  private let bytes: UnsafeMutableRawPointer
  private var oldest = 0
  private static var room: Int { longest * 2 }

  /// With nothing remembered. Row 0 is the front of the object.
  init() {
    let places = (Key.allCases.count + 1) * JSONShape.ways
    gaps = .allocate(capacity: places)
    gaps.initialize(repeating: Gap(), count: places)
    bytes = .allocate(byteCount: places * JSONShape.room, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: places * JSONShape.room)
  }

  deinit {
    gaps.deallocate()
    bytes.deallocate()
  }

  /// The gap of this row, when the bytes start with it. The bytes may end before: at least one zero must follow them,
  /// which no gap holds, and as many bytes as the longest gap has must be readable.
  @inline(__always)
  func match(_ text: UnsafeRawPointer, row: Int) -> Gap? {
    for place in row..<(row &+ JSONShape.ways) {
      let gap = gaps[place]
      if gap.length == 0 { return nil }
      if isEqual(text, bytes + place &* JSONShape.room, gap.length) { return gap }
    }
    return nil
  }

  /// Remembers a gap and gives it back. Whatever follows, it is one: it ends before a value, behind a colon, or with a
  /// bracket.
  mutating func learn(_ text: UnsafeRawBufferPointer, lines: Int, row: Int, key: Key?) -> Gap {
    let gap = Gap(length: text.count, lines: lines, row: (key?.rawValue ?? 0) * JSONShape.ways, key: key)
    guard text.count <= JSONShape.longest, let start = text.baseAddress else { return gap }
    var place = row
    while place < row + JSONShape.ways, gaps[place].length > 0 { place += 1 }
    if place == row + JSONShape.ways {
      place = row + oldest
      oldest = (oldest + 1) % JSONShape.ways
    }
    let known = bytes + place * JSONShape.room
    memset(known, 0, JSONShape.room)
    memcpy(known, start, text.count)
    memset(known + JSONShape.longest, 0xFF, text.count)
    gaps[place] = gap
    return gap
  }

  /// Sixteen bytes at a time.
  @inline(__always)
  private func isEqual(_ text: UnsafeRawPointer, _ known: UnsafeRawPointer, _ length: Int) -> Bool {
    var differing = SIMD16<UInt8>()
    var index = 0
    repeat {
      let counting = ByteLanes(known, index &+ JSONShape.longest).bytes
      differing |= (ByteLanes(text, index).bytes ^ ByteLanes(known, index).bytes) & counting
      index &+= 16
    } while index < length
    return ByteLanes.bits(differing) == 0
  }
}

/// The only "key" of an array: an element.
enum JSONElement: Int, CaseIterable {
  case element = 1
}
