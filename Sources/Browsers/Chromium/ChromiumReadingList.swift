internal import BrowsingData

/// Reads Chromium's reading list from the LevelDB that it shares with sync.
struct ChromiumReadingList {
  static let folder = "Sync Data/LevelDB"
  static let prefix = Array("reading_list-dt-".utf8)

  let profile: String?
  let application: Application

  /// One entry as it is stored: a protocol buffer of its title (2), address (3), times (4 and 5, microseconds since
  /// 1970) and state (6: 0 unread, 1 read, 2 unseen).
  struct Item {
    var url: String
    var title: String
    var created: Int64
    var isRead: Bool

    init?(_ message: [UInt8]) {
      (url, title, created, isRead) = ("", "", 0, false)
      var cursor = ByteCursor(message[...])
      while cursor.remaining > 0 {
        guard let tag = cursor.varint() else { return nil }
        switch (tag >> 3, tag & 7) {
        case (let field, 0):
          guard let value = cursor.varint() else { return nil }
          if field == 4 { created = Int64(truncatingIfNeeded: value) }
          if field == 6 { isRead = value == 1 }
        case (let field, 2):
          guard let value = cursor.counted() else { return nil }
          if field == 2 { title = String(decoding: value, as: UTF8.self) }
          if field == 3 { url = String(decoding: value, as: UTF8.self) }
        case (_, 1): if cursor.take(8) == nil { return nil }
        case (_, 5): if cursor.take(4) == nil { return nil }
        default: return nil
        }
      }
      if url.isEmpty { return nil }
    }
  }

  /// The stored entries; nil for one that cannot be read. While the browser runs, files may go as they are read: then
  /// the folder is read again.
  static func items(_ profile: ProfileFolder) throws(ProfileError) -> [Item?] {
    try entries(profile).map { Item($0.value) }
  }

  /// The stored entries as they lie there.
  static func entries(_ profile: ProfileFolder) throws(ProfileError) -> [(key: [UInt8], value: [UInt8])] {
    for attempt in 1... {
      do {
        return try LevelDBFolder(profile.path + "/" + folder).entries { key in
          // Entries of an account have a short mark before theirs.
          key.starts(with: prefix) || key.prefix(32).dropFirst().indices.contains { key[$0...].starts(with: prefix) }
        }
      } catch let error as ProfileError {
        throw error
      } catch let damage as LevelDBFolder.Damage {
        if profile.isOpen, attempt < 5 { continue }
        throw .corrupt(file: folder, reason: damage.reason)
      } catch {
        throw .unreadable(file: folder, reason: "it could not be read")
      }
    }
    return []
  }

  /// An entry as a record.
  func record(_ entry: Item) -> ReadingListItem {
    let created = Timestamp(microseconds: entry.created)
    var item = ReadingListItem(
      id: RecordID(hashing: .readingListItem(url: entry.url, profile: profile)), title: entry.title, url: entry.url,
      dateAdded: entry.created != 0 && created.isPlausible ? created : nil)
    item.read = entry.isRead
    item.profile = profile
    item.application = application
    return item
  }

  /// Hands over all entries, each address once.
  func read(_ folder: ProfileFolder, into consume: (RecordBatch) throws -> Void) throws {
    var items: [ReadingListItem] = []
    var given: Set<String> = []
    var unreadable = 0
    for entry in try ChromiumReadingList.items(folder) {
      guard let entry else {
        unreadable += 1
        continue
      }
      if given.insert(entry.url).inserted { items.append(record(entry)) }
    }
    if !items.isEmpty { try consume(.readingList(items)) }
    if unreadable > 0 {
      let remarks = (1...unreadable).map { _ in
        Remark(.skipped, type: .readingList, reason: "an entry is damaged")
      }
      try consume(.remarks(remarks))
    }
  }
}
