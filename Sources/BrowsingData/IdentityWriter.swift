extension RecordIdentity {
  /// Hands over the bytes of a login's identity, made of its address instead of its origin: the same as those of
  /// `login(origin:httpRealm:username:occurrence:)`, without an array. For long tables.
  public static func withLogin(
    url: String, httpRealm: String?, username: String, occurrence: Int, _ id: (UnsafeRawBufferPointer) -> RecordID
  ) -> RecordID {
    url.withBytes { url in
      (httpRealm ?? "").withBytes { realm in
        username.withBytes { username in
          IdentityWriter.writing(url.count + realm.count + username.count, id) { writer in
            writer.addFront(.passwords)
            writer.addOrigin(of: url)
            if httpRealm == nil { writer.addByte(0) } else { writer.addText(realm) }
            writer.addText(username)
            writer.addNumber(UInt64(occurrence))
          }
        }
      }
    }
  }

  /// The same for a bookmark without a GUID: `bookmark(kind:parent:title:url:dateAdded:occurrence:)`.
  public static func withBookmark(
    _ bookmark: borrowing Bookmark, occurrence: Int, _ id: (UnsafeRawBufferPointer) -> RecordID
  ) -> RecordID {
    let (kind, parent, date, hasURL) = (bookmark.kind, bookmark.parent, bookmark.dateAdded, bookmark.url != nil)
    return bookmark.title.withBytes { title in
      (bookmark.url ?? "").withBytes { url in
        IdentityWriter.writing(title.count + url.count, id) { writer in
          writer.addFront(.bookmarks)
          writer.addByte(2)
          writer.addByte(kind.rawValue)
          writer.addNumber(parent.high)
          writer.addNumber(parent.low)
          writer.addText(title)
          if hasURL { writer.addText(url) } else { writer.addByte(0) }
          writer.addDecimal(date?.microseconds)
          writer.addNumber(UInt64(occurrence))
        }
      }
    }
  }
}

extension String {
  /// Hands over its UTF-8; what is written in another way is copied first.
  @inline(__always)
  fileprivate func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}

/// Writes the parts of an identity one after the other into memory that has room for all of them.
private struct IdentityWriter {
  private let memory: UnsafeMutableRawBufferPointer
  private var count = 0

  /// No identity has more bytes than these beside its texts: the front, lengths, marks and numbers.
  private static let room = 128

  /// Writes an identity whose texts have so many bytes and hands it over.
  static func writing(
    _ texts: Int, _ id: (UnsafeRawBufferPointer) -> RecordID, _ write: (inout IdentityWriter) -> Void
  ) -> RecordID {
    withUnsafeTemporaryAllocation(byteCount: room + texts, alignment: 8) { memory in
      var writer = IdentityWriter(memory: memory)
      write(&writer)
      return id(UnsafeRawBufferPointer(rebasing: memory[..<writer.count]))
    }
  }

  private init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  private var rest: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[count...]) }

  mutating func addFront(_ type: DataType) {
    let front: StaticString = "wherry-rid-1\0"
    rest.copyMemory(from: UnsafeRawBufferPointer(start: front.utf8Start, count: front.utf8CodeUnitCount))
    count += front.utf8CodeUnitCount
    addByte(type.rawValue)
  }

  mutating func addByte(_ byte: UInt8) {
    memory[count] = byte
    count += 1
  }

  mutating func addNumber(_ number: UInt64) {
    memory.storeBytes(of: number.bigEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  mutating func addText(_ text: UnsafeBufferPointer<UInt8>) {
    addByte(1)
    addNumber(UInt64(text.count))
    rest.copyMemory(from: UnsafeRawBufferPointer(text))
    count += text.count
  }

  mutating func addOrigin(of url: UnsafeBufferPointer<UInt8>) {
    addByte(1)
    let length = Origin.write(of: url, to: UnsafeMutableRawBufferPointer(rebasing: rest[8...]))
    addNumber(UInt64(length))
    count += length
  }

  /// A number as its decimal text.
  mutating func addDecimal(_ number: Int64?) {
    guard let number else { return addByte(0) }
    var digits = 1
    var left = number.magnitude
    while left >= 10 {
      left /= 10
      digits += 1
    }
    let sign = number < 0 ? 1 : 0
    addByte(1)
    addNumber(UInt64(digits + sign))
    if sign == 1 { addByte(45) }
    left = number.magnitude
    for place in (count..<(count + digits)).reversed() {
      memory[place] = 48 + UInt8(truncatingIfNeeded: left % 10)
      left /= 10
    }
    count += digits
  }
}
