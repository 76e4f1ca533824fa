package import BrowsingData
internal import CLinux
internal import Glibc

/// Reads what a list names as batches of the log of resources. One thread uses it.
package final class ResourceReader {
  private let list: ResourceList
  private var place: Int64 = -1
  private var open: Opened?

  private struct Opened {
    var index: Int
    var file: OpenFile
    var hash: FileDigest
  }

  /// A piece, and about how much a batch holds before compression.
  private static let chunk = FileDigest.block
  private static let batchBytes = 786_432
  private static let batchPieces = 9_000
  /// Runs of zeros from this length on travel as a number.
  private static let leastZeros = 65_536
  /// A file that changes each time that it is read is given up.
  private static let attempts = 3

  /// Over a list.
  package init(_ list: ResourceList) { self.list = list }

  /// The next pieces after a place; nil when there are none yet.
  package func batch(after cursor: Int64) throws(ResourceError) -> ChangeBatch? {
    if place != cursor { try seek(to: cursor) }
    var pieces: [ResourcePiece] = []
    var bytes = 0
    while bytes < ResourceReader.batchBytes, pieces.count < ResourceReader.batchPieces,
      let piece = try next()
    {
      place += piece.length
      switch piece {
      case .bytes(let chunk): bytes += chunk.count
      case .entry(let entry): bytes += entry.path.utf8.count + (entry.target?.utf8.count ?? 0) + 32
      case .zeros: bytes += 16
      case .digest, .abandoned: bytes += 40
      }
      pieces.append(piece)
    }
    guard !pieces.isEmpty else { return nil }
    list.advance(to: place)
    return ChangeBatch(log: .resources, first: cursor, last: place, content: .resources(pieces))
  }

  /// Goes on in the middle of a file: what the importer has of it is hashed again.
  private func seek(to cursor: Int64) throws(ResourceError) {
    place = cursor
    open = nil
    guard let (index, item) = list.item(at: cursor), item.entry.kind == .file, cursor > item.base, !item.isAbandoned
    else { return }
    guard let opened = openFile(index, item) else { return }
    try opened.hash.update(opened.file, upTo: min(cursor - item.base - 1, item.entry.size))
    open = opened
  }

  private func next() throws(ResourceError) -> ResourcePiece? {
    guard let (index, item) = list.item(at: place) else { return nil }
    if place == item.base {
      open = nil
      if item.entry.kind == .file, !item.isAbandoned { open = openFile(index, item) }
      return .entry(item.entry)
    }
    let offset = place - item.base - 1
    let left = item.entry.size - offset
    guard let open, open.index == index, !item.isAbandoned else { return abandon(index, item, left + 1) }
    if left == 0 {
      guard let now = try? open.file.status(), ResourceReader.isSame(now, item.entry) else {
        return abandon(index, item, 1)
      }
      self.open = nil
      return .digest(open.hash.finish())
    }
    let data = open.file.nextData(from: offset, size: item.entry.size)
    if data - offset >= Int64(ResourceReader.leastZeros) || (data == item.entry.size && data > offset) {
      open.hash.updateZeros(data - offset)
      return .zeros(data - offset)
    }
    let bytes = try open.file.read(at: offset, atMost: Int(min(left, Int64(ResourceReader.chunk))))
    if bytes.isEmpty { return abandon(index, item, left + 1) }
    open.hash.update(bytes)
    if bytes.count >= ResourceReader.leastZeros, FileDigest.isZero(bytes) { return .zeros(Int64(bytes.count)) }
    return .bytes(bytes)
  }

  /// The file changed or went: what was sent of it is void, and it comes again as it is now.
  private func abandon(_ index: Int, _ item: ResourceList.Item, _ count: Int64) -> ResourcePiece {
    open = nil
    if !item.isAbandoned {
      let again = ResourceTree.entry(at: item.source, path: item.entry.path)
      if again == nil {
        list.refuse("a file went while it was read")
      } else if item.attempt >= ResourceReader.attempts {
        list.refuse("a file changed each time that it was read")
      }
      list.abandon(index, again: item.attempt < ResourceReader.attempts ? again : nil)
    }
    return .abandoned(count)
  }

  private func openFile(_ index: Int, _ item: ResourceList.Item) -> Opened? {
    let descriptor = Glibc.open(item.source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard let file = try? OpenFile(descriptor, doing: "opening a file"), let now = try? file.status(),
      ResourceReader.isSame(now, item.entry)
    else { return nil }
    return Opened(index: index, file: file, hash: FileDigest())
  }

  private static func isSame(_ now: stat, _ entry: ResourceEntry) -> Bool {
    now.kind == S_IFREG && Int64(now.st_size) == entry.size && now.modifiedAt == entry.modifiedAt
  }
}
