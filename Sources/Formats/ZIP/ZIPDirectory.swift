import Glibc

/// The central directory of an archive, read here because libzip tells nothing of where members lie: members that
/// overlap, sizes that lie and counts without end are found before anything is unpacked.
struct ZIPDirectory {
  /// The members, in the directory's order.
  private(set) var members: [ZIPMember] = []
  /// What libzip has to be shown in place of two bytes each, in the order of their offsets: it refuses the whole archive
  /// over one member that says it is encrypted but not how, or whose name is not the UTF-8 that it claims to be.
  private(set) var substitutes: [(offset: UInt64, value: UInt16)] = []

  /// More members than this are refused.
  static let maximumMembers: UInt64 = 10_000
  /// More unpacked bytes in all than this are refused.
  static let maximumSize: UInt64 = 4 << 30
  private static let maximumDirectory: UInt64 = 32 << 20

  private struct End {
    var count: UInt64
    var size: UInt64
    var offset: UInt64
    /// Where the directory has to end.
    var limit: UInt64
  }

  /// Reads and checks the directory of a file.
  init(_ file: FileDescriptor) throws(FormatError) {
    let fileSize = UInt64(max(0, try file.status().st_size))
    let end = try ZIPDirectory.end(file, fileSize)
    guard end.count <= ZIPDirectory.maximumMembers else {
      throw .tooLarge("more than \(ZIPDirectory.maximumMembers) members", .none)
    }
    guard end.size <= ZIPDirectory.maximumDirectory else { throw .tooLarge("a directory of more than 32 MiB", .none) }
    let (last, overflow) = end.offset.addingReportingOverflow(end.size)
    guard !overflow, last == end.limit else { throw ZIPDirectory.lie }
    try takeMembers(LittleEndianBytes(file, at: end.offset, count: Int(end.size)), end)
    try checkPlaces(file, limit: end.offset)
    try checkTotal()
  }

  private static var lie: FormatError { .damaged("the directory of the archive contradicts the archive", .none) }

  // MARK: The end record

  private static func end(_ file: FileDescriptor, _ fileSize: UInt64) throws(FormatError) -> End {
    let count = Int(min(fileSize, 22 + 0xFFFF))
    let start = fileSize - UInt64(count)
    let tail = try LittleEndianBytes(file, at: start, count: count)
    var index = count - 22
    while index >= 0 {
      if tail.u32(index) == 0x0605_4B50, Int(tail.u16(index + 20)) == count - index - 22 { break }
      index -= 1
    }
    guard index >= 0 else { throw .truncated(.byte(Int64(fileSize))) }
    let place = start + UInt64(index)
    guard tail.u16(index + 4) == 0 || tail.u16(index + 4) == 0xFFFF else {
      throw .damaged("it is one part of an archive of several", .none)
    }
    let end = End(
      count: UInt64(tail.u16(index + 10)), size: UInt64(tail.u32(index + 12)), offset: UInt64(tail.u32(index + 16)),
      limit: place)
    let needsLarge = end.count == 0xFFFF || end.size == 0xFFFF_FFFF || end.offset == 0xFFFF_FFFF
    return needsLarge ? try largeEnd(file, before: place) ?? end : end
  }

  /// The ZIP64 end record, when there is one.
  private static func largeEnd(_ file: FileDescriptor, before place: UInt64) throws(FormatError) -> End? {
    guard place >= 20 else { return nil }
    let locator = try LittleEndianBytes(file, at: place - 20, count: 20)
    guard locator.u32(0) == 0x0706_4B50 else { return nil }
    let offset = locator.u64(8)
    guard place >= 76, offset <= place - 76 else { throw lie }
    let record = try LittleEndianBytes(file, at: offset, count: 56)
    guard record.u32(0) == 0x0606_4B50 else { throw lie }
    return End(count: record.u64(32), size: record.u64(40), offset: record.u64(48), limit: offset)
  }

  // MARK: Members

  private mutating func takeMembers(_ bytes: LittleEndianBytes, _ end: End) throws(FormatError) {
    var index = 0
    for _ in 0..<end.count {
      guard index + 46 <= bytes.count, bytes.u32(index) == 0x0201_4B50 else { throw ZIPDirectory.lie }
      let nameEnd = index + 46 + Int(bytes.u16(index + 28))
      let extraEnd = nameEnd + Int(bytes.u16(index + 30))
      let next = extraEnd + Int(bytes.u16(index + 32))
      guard next <= bytes.count else { throw ZIPDirectory.lie }
      var member = ZIPMember(
        rawName: bytes.slice((index + 46)..<nameEnd), flags: bytes.u16(index + 8), method: bytes.u16(index + 10),
        madeBy: UInt8(bytes.u16(index + 4) >> 8), attributes: bytes.u32(index + 38),
        compressedSize: UInt64(bytes.u32(index + 20)), size: UInt64(bytes.u32(index + 24)),
        offset: UInt64(bytes.u32(index + 42)))
      try ZIPDirectory.takeLargeSizes(&member, bytes, nameEnd..<extraEnd)
      members.append(member)
      substitute(member, comment: bytes.slice(extraEnd..<next), at: end.offset &+ UInt64(index))
      index = next
    }
    if index != bytes.count { throw ZIPDirectory.lie }
  }

  private mutating func substitute(_ member: ZIPMember, comment: [UInt8], at offset: UInt64) {
    let claimsUTF8: UInt16 = 0x800
    if member.flags & claimsUTF8 != 0, !ZIPDirectory.isText(member.rawName) || !ZIPDirectory.isText(comment) {
      substitutes.append((offset &+ 8, member.flags & ~claimsUTF8))
    }
    // Refused by `ZIPMember.problem`, so that it need not be a method.
    if member.method == ZIPMember.encryptedMethod { substitutes.append((offset &+ 10, .max)) }
  }

  /// Whether libzip would agree that it is UTF-8.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 } && bytes.withUnsafeBytes { validatedString($0) } != nil
  }

  /// Sizes and offset beyond 32 bits stand in an extra field, in this order, each only where the plain one is full.
  private static func takeLargeSizes(
    _ member: inout ZIPMember, _ bytes: LittleEndianBytes, _ extra: Range<Int>
  ) throws(FormatError) {
    let full: UInt64 = 0xFFFF_FFFF
    guard member.size == full || member.compressedSize == full || member.offset == full else { return }
    var index = extra.lowerBound
    while index + 4 <= extra.upperBound {
      let end = index + 4 + Int(bytes.u16(index + 2))
      guard end <= extra.upperBound else { throw lie }
      if bytes.u16(index) == 1 {
        var place = index + 4
        for path in [\ZIPMember.size, \.compressedSize, \.offset] where member[keyPath: path] == full {
          guard place + 8 <= end else { throw lie }
          member[keyPath: path] = bytes.u64(place)
          place += 8
        }
        return
      }
      index = end
    }
  }

  /// Each member's bytes must lie before the directory and be its own.
  private func checkPlaces(_ file: FileDescriptor, limit: UInt64) throws(FormatError) {
    var last: UInt64 = 0
    for member in members.sorted(by: { $0.offset < $1.offset }) {
      guard member.offset >= last else { throw .damaged("members of the archive overlap", .none) }
      guard limit >= 30, member.offset <= limit - 30 else { throw ZIPDirectory.lie }
      let header = try LittleEndianBytes(file, at: member.offset, count: 30)
      guard header.u32(0) == 0x0403_4B50 else { throw ZIPDirectory.lie }
      let nameStart = member.offset + 30
      let nameLength = Int(header.u16(26))
      let dataStart = nameStart + UInt64(nameLength) + UInt64(header.u16(28))
      let (end, overflow) = dataStart.addingReportingOverflow(member.compressedSize)
      guard !overflow, end <= limit, nameLength == member.rawName.count else { throw ZIPDirectory.lie }
      let name = try LittleEndianBytes(file, at: nameStart, count: nameLength)
      guard name.slice(0..<nameLength) == member.rawName else { throw ZIPDirectory.lie }
      last = end
    }
  }

  private func checkTotal() throws(FormatError) {
    var total: UInt64 = 0
    for member in members {
      let (sum, overflow) = total.addingReportingOverflow(member.size)
      guard !overflow, sum <= ZIPDirectory.maximumSize else { throw .tooLarge("more than 4 GiB when unpacked", .none) }
      total = sum
    }
  }
}

/// Bytes of a file with numbers in them. An index outside is the caller's mistake.
struct LittleEndianBytes {
  private let bytes: [UInt8]
  var count: Int { bytes.count }

  /// Reads so many bytes; `truncated` when there are fewer.
  init(_ file: FileDescriptor, at offset: UInt64, count: Int) throws(FormatError) {
    guard let start = Int64(exactly: offset) else { throw .truncated(.none) }
    var bytes = [UInt8](repeating: 0, count: count)
    var result: Result<Int, FormatError> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      do throws(FormatError) { result = .success(try file.read(into: buffer, at: start)) } catch {
        result = .failure(error)
      }
    }
    guard try result.get() == count else { throw .truncated(.byte(start)) }
    self.bytes = bytes
  }

  func u16(_ index: Int) -> UInt16 { UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8 }
  func u32(_ index: Int) -> UInt32 { UInt32(u16(index)) | UInt32(u16(index + 2)) << 16 }
  func u64(_ index: Int) -> UInt64 { UInt64(u32(index)) | UInt64(u32(index + 4)) << 32 }
  func slice(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
}
