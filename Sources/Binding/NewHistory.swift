internal import BrowsingData

/// A source of which, where it can be read on from a position, only the history that came since is handed over.
final class NewHistory: RecordSource {
  private let source: any RecordSource
  private let position: VisitPosition?
  /// The position for the next time; nil when there is none, or history was not read.
  private(set) var end: VisitPosition?
  /// Whether it is read from the start.
  var isWhole: Bool { position == nil }

  init(of source: any RecordSource, since position: VisitPosition?) {
    self.source = source
    self.position = source is any ResumableHistory ? position : nil
  }

  var types: DataTypes { source.types }
  func counts() throws -> RecordCounts { try source.counts() }
  func counts(of types: DataTypes) throws -> RecordCounts { try source.counts(of: types) }

  func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    guard types.contains(.history), let resumable = source as? any ResumableHistory else {
      return try source.read(types, into: consume)
    }
    let others = types.subtracting(.history)
    if !others.isEmpty { try source.read(others, into: consume) }
    end = try resumable.readHistory(since: position, into: consume)
  }
}
