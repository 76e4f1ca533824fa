import Glibc

/// What stands between the values of an object, remembered from the object before: `,\n    "title" : ` and the like.
struct JSONShape: ~Copyable {
  /// A gap that was seen.
  struct Gap {
    var length = 0
    /// Line ends in it.
    var lines = 0
    /// The number of the key in it; below 0 for the end of the object.
    var key = 0
  }

  private static let longest = 64
  private let count: Int
  private let gaps: UnsafeMutablePointer<Gap>
  private let bytes: UnsafeMutableRawPointer

  /// For keys with the numbers 0 up to, not including, `count`; 0 also stands for the front of the object.
  init(count: Int) {
    self.count = count
    gaps = .allocate(capacity: count)
    gaps.initialize(repeating: Gap(), count: count)
    bytes = .allocate(byteCount: count * JSONShape.longest, alignment: 16)
  }

  deinit {
    gaps.deallocate()
    bytes.deallocate()
  }

  /// The gap after this key, when the bytes start with it.
  @inline(__always)
  func match(_ text: UnsafeRawBufferPointer, _ previous: Int) -> Gap? {
    let gap = gaps[previous]
    guard gap.length > 0, gap.length <= text.count, let start = text.baseAddress,
      memcmp(start, bytes + previous * JSONShape.longest, gap.length) == 0
    else { return nil }
    return gap
  }

  /// Remembers a gap. One that ends in the middle of a token is safe, since every gap ends with a colon or a bracket.
  mutating func learn(_ text: UnsafeRawBufferPointer, lines: Int, after previous: Int, key: Int) {
    guard text.count <= JSONShape.longest, let start = text.baseAddress else { return }
    memcpy(bytes + previous * JSONShape.longest, start, text.count)
    gaps[previous] = Gap(length: text.count, lines: lines, key: key)
  }
}
