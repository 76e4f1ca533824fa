internal import BrowsingData

/// Edits the reading list in the LevelDB that it shares with sync: one more record in its log, which holds all edits or,
/// where it is not whole, none. An entry's foreign id is made from its address.
struct ChromiumReadingListEditing {
  private let folder: ProfileFolder
  private let now: Int64
  /// The log with the edits; nil while there are none.
  private(set) var changed: (name: String, bytes: [UInt8])?

  /// Of a profile.
  init(_ folder: ProfileFolder, now: Timestamp) {
    self.folder = folder
    self.now = now.microseconds
  }

  /// The foreign id of an address.
  static func foreignID(_ url: String) -> String {
    RecordID(hashing: .readingListItem(url: url, profile: nil)).description
  }

  /// Carries out edits.
  mutating func apply(_ edits: ItemEdits<ReadingListItem>) throws -> EditResult {
    var result = EditResult()
    var entries: [String: (key: [UInt8], value: [UInt8])] = [:]
    for entry in try ChromiumReadingList.entries(folder) {
      guard let item = ChromiumReadingList.Item(entry.value) else { continue }
      entries[ChromiumReadingListEditing.foreignID(item.url)] = entry
    }
    var writes: [LevelDBLog.Write] = []
    for held in edits.insertions {
      guard entries[ChromiumReadingListEditing.foreignID(held.item.url)] == nil else {
        result.refused[held.foreignID] = "its address is there already"
        continue
      }
      writes.append(
        LevelDBLog.Write(key: ChromiumReadingList.prefix + held.item.url.utf8, value: message(held.item, over: nil)))
    }
    for held in edits.updates {
      guard let entry = entries[held.foreignID] else {
        result.refused[held.foreignID] = "it is not there any more"
        continue
      }
      guard let old = ChromiumReadingList.Item(entry.value),
        old.title != held.item.title || old.isRead != (held.item.read ?? old.isRead)
      else { continue }
      writes.append(LevelDBLog.Write(key: entry.key, value: message(held.item, over: entry.value)))
    }
    for id in edits.removals.sorted() {
      if let entry = entries[id] { writes.append(LevelDBLog.Write(key: entry.key, value: nil)) }
    }
    if !writes.isEmpty { try append(writes, refusing: edits, in: &result) }
    return result
  }

  /// In words, where the browser has made no reading list: only it can.
  static let absent = "Chromium has not made its reading list yet"

  private mutating func append(
    _ writes: [LevelDBLog.Write], refusing edits: ItemEdits<ReadingListItem>, in result: inout EditResult
  ) throws {
    let place = folder.path + "/" + ChromiumReadingList.folder
    do {
      guard let end = try LevelDBFolder(place).end(), let bytes = try ProfileFile.read(place + "/" + end.log) else {
        for held in edits.insertions { result.refused[held.foreignID] = ChromiumReadingListEditing.absent }
        return
      }
      let log = LevelDBLog(bytes: bytes).appending(writes, sequence: end.sequence)
      changed = (ChromiumReadingList.folder + "/" + end.log, log)
    } catch let damage as LevelDBFolder.Damage {
      throw ProfileError.corrupt(file: ChromiumReadingList.folder, reason: damage.reason)
    }
  }

  // MARK: - The protocol buffer of one entry

  /// A new entry, or an old one with another title and state and all else that it holds.
  private func message(_ item: ReadingListItem, over old: [UInt8]?) -> [UInt8] {
    let created = item.dateAdded?.microseconds ?? now
    let isRead = item.read ?? false
    var fields: [UInt64: Field] = [
      1: .bytes(Array(item.url.utf8)), 2: .bytes(Array(item.title.utf8)), 3: .bytes(Array(item.url.utf8)),
      4: .number(created), 5: .number(old == nil ? created : now), 6: .number(isRead ? 1 : 2), 7: .number(0),
      9: .number(0), 11: .number(isRead ? created : 0), 12: .number(created),
    ]
    var result: [UInt8] = []
    if let old {
      for number in [1, 3, 4, 7, 9, 11, 12] { fields[UInt64(number)] = nil }
      var cursor = ByteCursor(old[...])
      while cursor.remaining > 0, let piece = ChromiumReadingListEditing.next(&cursor) {
        if fields[piece.number] == nil { result += piece.bytes }
      }
    }
    for (number, field) in fields.sorted(by: { $0.key < $1.key }) { field.append(number, to: &result) }
    return result
  }

  private enum Field {
    case number(Int64)
    case bytes([UInt8])

    func append(_ number: UInt64, to result: inout [UInt8]) {
      switch self {
      case .number(let value):
        LevelDBLog.append(varint: number << 3, to: &result)
        LevelDBLog.append(varint: UInt64(bitPattern: value), to: &result)
      case .bytes(let bytes):
        LevelDBLog.append(varint: number << 3 | 2, to: &result)
        LevelDBLog.append(varint: UInt64(bytes.count), to: &result)
        result += bytes
      }
    }
  }

  /// The next field as it stands.
  private static func next(_ cursor: inout ByteCursor) -> (number: UInt64, bytes: [UInt8])? {
    guard let tag = cursor.varint() else { return nil }
    var bytes: [UInt8] = []
    LevelDBLog.append(varint: tag, to: &bytes)
    switch tag & 7 {
    case 0:
      guard let value = cursor.varint() else { return nil }
      LevelDBLog.append(varint: value, to: &bytes)
    case 1:
      guard let value = cursor.take(8) else { return nil }
      bytes += value
    case 2:
      guard let value = cursor.counted() else { return nil }
      LevelDBLog.append(varint: UInt64(value.count), to: &bytes)
      bytes += value
    case 5:
      guard let value = cursor.take(4) else { return nil }
      bytes += value
    default: return nil
    }
    return (tag >> 3, bytes)
  }
}
