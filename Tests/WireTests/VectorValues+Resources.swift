import BrowsingData

@testable import Wire

/// What Vectors/resources.txt says, as values: an app's files on their way.
extension VectorValues {
  static let resources: [(name: String, message: Message)] = [
    ("OFFER of files", .offer(filesOffer)),
    ("BATCH of a file's beginning", pieces(1, 0...4, [.entry(style), .bytes([1, 2, 3])])),
    (
      "RESUME in the middle of that file",
      .resume(Resume(incarnation: Array(0...15), cursors: [.resources: 4]))
    ),
    (
      "BATCH of its end, a link and an empty folder",
      pieces(1, 4...70_007, [.zeros(70_000), .digest(styleDigest), .entry(link), .entry(hollow)])
    ),
    ("BATCH of a file that changed", pieces(2, 70_007...70_013, [.entry(changed), .bytes([120]), .abandoned(4)])),
    ("ACK of files", .acknowledge(Acknowledgement(log: .resources, last: 70_013, applied: 3, skipped: 0))),
    ("END of files", .end([.resources: LogEnd(cursor: 70_013, count: 3, digest: filesSum)])),
  ]

  private static let changedAt = Timestamp(microseconds: 1_700_000_000_123_456)

  private static var filesOffer: Offer {
    var offer = Offer(
      incarnation: Array(0...15), supported: .resources,
      items: [Offer.Item(type: .resources, count: 3, bytes: 70_003)])
    offer.resources = ResourcesNote(
      application: "org.mozilla.firefox", version: "1", platform: "linux", isCompressible: true)
    return offer
  }

  /// Its content is 1, 2, 3 and 70,000 zeros.
  private static let style = ResourceEntry(
    path: "chrome/é.css", kind: .file, size: 70_003, mode: 0o755, modifiedAt: changedAt)
  private static var link: ResourceEntry {
    var link = ResourceEntry(path: "latest", kind: .link, mode: 0o777, modifiedAt: Timestamp(microseconds: -1))
    link.target = "chrome/é.css"
    return link
  }
  private static let hollow = ResourceEntry(
    path: "empty", kind: .folder, mode: 0o700, modifiedAt: Timestamp(microseconds: 0))
  private static let changed = ResourceEntry(path: "user.js", kind: .file, size: 4, modifiedAt: changedAt)

  private static let styleDigest = bytes("218425f1b69cd234ae2c06b85ae00d336f5c85a361d824a23bf732198f65224a")
  private static let filesSum = RecordID(bytes: bytes("a79aea6c52687b27f8406bd0d09b3add")) ?? .other

  private static func bytes(_ digits: String) -> [UInt8] {
    stride(from: 0, to: digits.utf8.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
  }

  private static func pieces(_ number: Int64, _ places: ClosedRange<Int64>, _ pieces: [ResourcePiece]) -> Message {
    .batch(
      Batch(
        number: number,
        changes: ChangeBatch(
          log: .resources, first: places.lowerBound, last: places.upperBound, content: .resources(pieces))))
  }
}
