/// Pages of a history, each with a number of the source's own, text in one arena: how a million visits move cheaply.
public struct PageBatch: Hashable, Sendable {
  /// One page. Offsets are into `text`.
  public struct Page: Hashable, Sendable {
    /// The source's number of the page; not 0.
    public var number: Int64
    /// Its place in the sender's change log; 0 where there is none.
    public var sequence: Int64 = 0
    /// The title's time (microseconds), 0 when unknown: of two titles the newer one holds.
    public var titleTime: Int64 = 0
    /// Its former place in the change log when it is sent again, else 0.
    public var was: Int64 = 0
    /// The exact string of the source.
    public var url: Range<Int32>
    /// nil when the title is unknown.
    public var title: Range<Int32>?

    /// With what cannot be absent; the rest is set afterwards.
    @inlinable
    public init(number: Int64, url: Range<Int32>, title: Range<Int32>?) {
      self.number = number
      self.url = url
      self.title = title
    }
  }

  /// The pages, in the order of the source.
  public var pages: [Page] = []
  /// UTF-8 of all addresses and titles.
  public var text: [UInt8] = []
  /// An empty one.
  public init() {}

  /// Adds a page.
  @inlinable
  public mutating func append(number: Int64, url: some Sequence<UInt8>, title: (some Sequence<UInt8>)?) {
    let url = add(url)
    pages.append(Page(number: number, url: url, title: title.map { add($0) }))
  }

  /// Puts text into the arena.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) -> Range<Int32> {
    let start = Int32(text.count)
    text.append(contentsOf: bytes)
    return start..<Int32(text.count)
  }

  /// The text of a range of the arena.
  public func string(_ range: Range<Int32>) -> String {
    String(decoding: text[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
  }
}
