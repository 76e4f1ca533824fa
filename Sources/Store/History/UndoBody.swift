/// What `rec_undo` keeps of history: how a changed row was before.
enum UndoBody {
  /// A row's number as the key of its memory.
  static func key(_ number: Int64) -> [UInt8] { bytes(number) }

  static func number(_ key: [UInt8]) -> Int64 {
    key.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The title a page had.
  static func title(_ title: [UInt8]?, time: Int64) -> [UInt8] {
    bytes(time) + [title == nil ? 0 : 1] + (title ?? [])
  }

  static func title(_ body: [UInt8]) -> (title: [UInt8]?, time: Int64) {
    guard body.count >= 9 else { return (nil, 0) }
    return (body[8] == 0 ? nil : Array(body[9...]), number(body))
  }

  /// The fields and the place a visit had, and the entry that had left it so.
  static func visit(_ visit: StoredVisit) -> [UInt8] {
    let head = [visit.entry, visit.linkPage, visit.linkDelta, visit.sequence].flatMap { bytes($0) }
    return head + [visit.kind, visit.flags, visit.attributes == nil ? 0 : 1] + (visit.attributes ?? [])
  }

  static func visit(_ body: [UInt8]) -> StoredVisit? {
    guard body.count >= 35 else { return nil }
    return StoredVisit(
      sequence: number(Array(body[24..<32])), kind: body[32], flags: body[33],
      linkPage: number(Array(body[8..<16])), linkDelta: number(Array(body[16..<24])),
      attributes: body[34] == 0 ? nil : Array(body[35...]), entry: number(Array(body[0..<8])))
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) }
  }
}

/// The fields of a stored visit that merge.
struct StoredVisit {
  var sequence: Int64
  var kind: UInt8
  var flags: UInt8
  /// 0 when there is none.
  var linkPage: Int64
  var linkDelta: Int64
  var attributes: [UInt8]?
  /// The entry that left it as it is.
  var entry: Int64
}
