import Glibc

/// The part of an input that is in view while it is read from front to back. `slack` zeros follow its last byte.
struct ByteWindow: ~Copyable {
  /// What reading on came to.
  enum Growth {
    case more
    case ended
    /// As much as may be held is held already.
    case full
  }

  /// So many bytes behind the last one can be looked at; they are zeros.
  static let slack = 16

  private let stream: any OpenByteInput
  /// The bytes in view.
  private(set) var bytes: UnsafeMutableRawPointer
  /// How many there are.
  private(set) var count = 0
  private var capacity: Int
  private let limit: Int

  /// Over an input; no more than `limit` bytes are ever held.
  init(_ stream: any OpenByteInput, size: Int = 256 << 10, limit: Int) {
    self.stream = stream
    self.limit = limit
    capacity = min(size, limit)
    bytes = .allocate(byteCount: capacity + ByteWindow.slack, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: ByteWindow.slack)
  }

  deinit { bytes.deallocate() }

  /// Whether there is no room behind the last byte.
  var isFull: Bool { count == capacity }

  /// The byte at an index, 0 behind the last one.
  @inline(__always)
  subscript(index: Int) -> UInt8 { bytes.load(fromByteOffset: index, as: UInt8.self) }

  /// The first place of a byte from an index on.
  @inline(__always)
  func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    guard start < end, let found = memchr(bytes + start, Int32(byte), end &- start) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(bytes)
  }

  /// Some of the bytes.
  @inline(__always)
  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Reads on. What stands before `kept` is dropped, and every index falls by that.
  mutating func read(keeping kept: Int) throws(FormatError) -> Growth {
    if kept > 0 {
      memmove(bytes, bytes + kept, count &- kept)
      count &-= kept
    }
    if count == capacity {
      if capacity == limit { return .full }
      grow()
    }
    let got = try stream.read(into: UnsafeMutableRawBufferPointer(start: bytes + count, count: capacity &- count))
    count &+= got
    (bytes + count).initializeMemory(as: UInt8.self, repeating: 0, count: ByteWindow.slack)
    return got > 0 ? .more : .ended
  }

  private mutating func grow() {
    let larger = min(limit, capacity * 2)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger + ByteWindow.slack, alignment: 16)
    new.copyMemory(from: bytes, byteCount: count)
    bytes.deallocate()
    bytes = new
    capacity = larger
  }
}
