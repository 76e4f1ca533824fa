/// Sorts addresses by their bytes, seven bytes at a time as one number: within a hundred thousand addresses many begin
/// alike, and to compare each pair from the start would take most of the time.
struct AddressOrder {
  /// Seven bytes of an address and how many there are, so that numbers are in the order of the addresses.
  private struct Key {
    /// Two bits: before, in or after the addresses that begin with `https://`. Then the bytes, then their number, 8 when
    /// more follow.
    var bits: UInt64
    /// The seven bytes after them, likewise: to look into the text twice is to wait for memory twice.
    var next: UInt64
    var index: Int32

    var hasMore: Bool { bits & 15 == 8 }
  }

  /// Addresses that are equal as far as they were looked at.
  private struct Group {
    var range: Range<Int>
    /// What was looked at.
    var depth: Int
    /// Whether what follows is in the keys.
    var hasNext: Bool
  }

  private let text: UnsafeRawBufferPointer
  private let address: (Int) -> Range<Int>
  private var keys: [Key]
  private var spare: [Key] = []
  private var groups: [Group] = []

  /// Fewer are put into order one by one.
  private static let few = 32
  private static let width = 7
  private static let https = Array("https://".utf8)

  /// The indices of addresses in their order, equal ones as they came; `address` gives the bytes of one in the text.
  static func sorted(
    _ count: Int, in text: UnsafeRawBufferPointer, at address: (Int) -> Range<Int>
  ) -> [Int32] {
    withoutActuallyEscaping(address) { address in
      var order = AddressOrder(count, text, address)
      order.sort()
      return order.keys.map(\.index)
    }
  }

  private init(_ count: Int, _ text: UnsafeRawBufferPointer, _ address: @escaping (Int) -> Range<Int>) {
    self.text = text
    self.address = address
    keys = []
    keys.reserveCapacity(count)
    for index in 0..<count {
      let (url, rank) = (address(index), AddressOrder.rank(text, address(index)))
      var key = AddressOrder.key(text, url.dropFirst(AddressOrder.start(rank)), index: Int32(index))
      key.bits |= rank << 62
      keys.append(key)
    }
  }

  /// What was looked at to find the rank.
  private static func start(_ rank: UInt64) -> Int { rank == 1 ? https.count : 0 }

  private static func rank(_ text: UnsafeRawBufferPointer, _ url: Range<Int>) -> UInt64 {
    for (index, byte) in https.enumerated() {
      guard index < url.count else { return 0 }
      let own = text[url.lowerBound + index]
      if own != byte { return own < byte ? 0 : 2 }
    }
    return 1
  }

  private static func key(_ text: UnsafeRawBufferPointer, _ rest: Range<Int>, index: Int32) -> Key {
    Key(bits: bits(text, rest), next: rest.count > width ? bits(text, rest.dropFirst(width)) : 0, index: index)
  }

  private static func bits(_ text: UnsafeRawBufferPointer, _ rest: Range<Int>) -> UInt64 {
    if rest.count > width {
      let word = text.loadUnaligned(fromByteOffset: rest.lowerBound, as: UInt64.self)
      return (UInt64(bigEndian: word) >> 8) << 4 | 8
    }
    var word: UInt64 = 0
    for index in rest { word = word << 8 | UInt64(text[index]) }
    return word << UInt64(4 + 8 * (width - rest.count)) | UInt64(rest.count)
  }

  private mutating func sort() {
    sort(0..<keys.count)
    // A list of groups and no recursion: two addresses may be equal for millions of bytes.
    split(0..<keys.count, hasNext: true) { AddressOrder.start($0) + AddressOrder.width }
    while let group = groups.popLast() {
      for index in group.range {
        if group.hasNext {
          keys[index].bits = keys[index].next
        } else {
          let number = keys[index].index
          keys[index] = AddressOrder.key(text, address(Int(number)).dropFirst(group.depth), index: number)
        }
      }
      sort(group.range)
      split(group.range, hasNext: !group.hasNext) { _ in group.depth + AddressOrder.width }
    }
  }

  /// Notes every group of keys that are equal and have more bytes.
  private mutating func split(_ range: Range<Int>, hasNext: Bool, depth: (_ rank: UInt64) -> Int) {
    var start = range.lowerBound
    for index in range.dropFirst() {
      if keys[index].bits != keys[start].bits {
        note(start..<index, hasNext, depth)
        start = index
      }
    }
    note(start..<range.upperBound, hasNext, depth)
  }

  private mutating func note(_ range: Range<Int>, _ hasNext: Bool, _ depth: (_ rank: UInt64) -> Int) {
    guard range.count > 1, keys[range.lowerBound].hasMore else { return }
    groups.append(Group(range: range, depth: depth(keys[range.lowerBound].bits >> 62), hasNext: hasNext))
  }

  /// By their bits, equal ones as they stand.
  private mutating func sort(_ range: Range<Int>) {
    if range.count > AddressOrder.few { sortByDigits(range) } else { sortFew(range) }
  }

  private mutating func sortFew(_ range: Range<Int>) {
    for index in range.dropFirst() {
      let key = keys[index]
      var place = index
      while place > range.lowerBound, keys[place - 1].bits > key.bits {
        keys[place] = keys[place - 1]
        place -= 1
      }
      keys[place] = key
    }
  }

  /// Digit by digit from the last one, without those that all have in common.
  private mutating func sortByDigits(_ range: Range<Int>) {
    let first = keys[range.lowerBound].bits
    var different: UInt64 = 0
    for index in range { different |= keys[index].bits ^ first }
    if spare.count < range.count { spare = keys }
    AddressOrder.sort(&keys, range, &spare, different)
  }

  private static func sort(_ keys: inout [Key], _ range: Range<Int>, _ spare: inout [Key], _ different: UInt64) {
    keys.withUnsafeMutableBufferPointer { keys in
      spare.withUnsafeMutableBufferPointer { spare in
        var from = UnsafeMutableBufferPointer(rebasing: keys[range])
        var to = UnsafeMutableBufferPointer(rebasing: spare[..<range.count])
        for shift in stride(from: UInt64(0), to: 64, by: 8) where different >> shift & 255 != 0 {
          AddressOrder.sort(from, by: shift, into: to)
          swap(&from, &to)
        }
        let target = UnsafeMutableBufferPointer(rebasing: keys[range])
        if from.baseAddress != target.baseAddress { _ = target.update(fromContentsOf: from) }
      }
    }
  }

  private static func sort(
    _ keys: UnsafeMutableBufferPointer<Key>, by shift: UInt64, into sorted: UnsafeMutableBufferPointer<Key>
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
      places.initialize(repeating: 0)
      for key in keys { places[Int(key.bits >> shift & 255)] += 1 }
      var next = 0
      for digit in 0..<256 { (places[digit], next) = (next, next + places[digit]) }
      for key in keys {
        let digit = Int(key.bits >> shift & 255)
        sorted[places[digit]] = key
        places[digit] += 1
      }
    }
  }
}
