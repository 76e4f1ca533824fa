/// A source that can tell at little cost whether it is as it was.
package protocol MarkedSource: RecordSource {
  /// Equal as long as none of its files was written; nil when that cannot be told.
  func mark() -> [UInt8]?
  /// Equal as long as no bookmark has changed; nil when that cannot be told.
  func bookmarksMark() throws -> [UInt8]?
}
