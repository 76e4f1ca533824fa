import Glibc

/// What stands between the values of an object, remembered from the objects before: `,\n    "title" : ` and the like. Three
/// gaps after each key are kept, since some members come and go.
struct JSONShape: ~Copyable {
  /// A gap that was seen.
  struct Gap {
    var length = 0
    /// Line ends in it.
    var lines = 0
    /// The number of the key in it; below 0 for the end of the object.
    var key = 0
  }

  private static let ways = 3
  private static let longest = 64
  private static let room = 72
  private let gaps: UnsafeMutablePointer<Gap>
  private let bytes: UnsafeMutableRawPointer
  private var oldest = 0

  /// For keys with the numbers 0 up to, not including, `count`; 0 also stands for the front of the object.
  init(count: Int) {
    let places = count * JSONShape.ways
    gaps = .allocate(capacity: places)
    gaps.initialize(repeating: Gap(), count: places)
    bytes = .allocate(byteCount: places * JSONShape.room, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: places * JSONShape.room)
  }

  deinit {
    gaps.deallocate()
    bytes.deallocate()
  }

  /// The gap after this key, when the bytes start with it. The bytes may end before: at least one zero must follow them,
  /// which no gap holds, and fifteen bytes more must be readable.
  @inline(__always)
  func match(_ text: UnsafeRawPointer, after previous: Int) -> Gap? {
    let first = previous &* JSONShape.ways
    for place in first..<(first &+ JSONShape.ways) {
      let gap = gaps[place]
      if gap.length == 0 { return nil }
      if isEqual(text, bytes + place &* JSONShape.room, gap.length) { return gap }
    }
    return nil
  }

  /// Remembers a gap. Whatever follows, it is one: it ends before a value, behind a colon, or with a bracket.
  mutating func learn(_ text: UnsafeRawBufferPointer, lines: Int, after previous: Int, key: Int) {
    guard text.count <= JSONShape.longest, let start = text.baseAddress else { return }
    let first = previous * JSONShape.ways
    var place = first
    while place < first + JSONShape.ways, gaps[place].length > 0 { place += 1 }
    if place == first + JSONShape.ways {
      place = first + oldest
      oldest = (oldest + 1) % JSONShape.ways
    }
    memcpy(bytes + place * JSONShape.room, start, text.count)
    gaps[place] = Gap(length: text.count, lines: lines, key: key)
  }

  @inline(__always)
  private func isEqual(_ text: UnsafeRawPointer, _ known: UnsafeRawPointer, _ length: Int) -> Bool {
    var index = 0
    while index &+ 8 <= length {
      if word(text, index) != word(known, index) { return false }
      index &+= 8
    }
    let rest = ~(UInt64.max << UInt64(truncatingIfNeeded: (length &- index) &* 8))
    return (word(text, index) ^ word(known, index)) & rest == 0
  }

  @inline(__always)
  private func word(_ start: UnsafeRawPointer, _ index: Int) -> UInt64 {
    UInt64(littleEndian: (start + index).loadUnaligned(as: UInt64.self))
  }
}
