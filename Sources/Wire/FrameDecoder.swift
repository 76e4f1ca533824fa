/// Cuts a stream of bytes into frames, however the bytes come in. A length is judged before its bytes are kept,
/// and after a fault there is no way on: every further call throws the same.
package struct FrameDecoder {
  private var buffer: [UInt8] = []
  private var start = 0
  private var fault: WireError?

  /// Whether the peer is authenticated: larger frames and compression are taken.
  package var isAuthenticated: Bool

  /// With nothing received.
  package init(isAuthenticated: Bool = false) { self.isAuthenticated = isAuthenticated }

  /// Whether a frame has begun that is not complete.
  package var isWithinFrame: Bool { start < buffer.count }

  /// Takes bytes as they came. At most a frame and what came with it is kept; after a fault nothing is.
  package mutating func feed(_ bytes: some Collection<UInt8>) {
    guard fault == nil else { return }
    if start > 0 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole frame, nil until more bytes come. Call until nil after each `feed`.
  package mutating func next() throws(WireError) -> Frame? {
    if let fault { throw fault }
    do {
      return try cut()
    } catch {
      fault = error
      buffer = []
      start = 0
      throw error
    }
  }

  private mutating func cut() throws(WireError) -> Frame? {
    guard buffer.count - start >= 4 else { return nil }
    var length = 0
    for index in start..<(start + 4) { length = length << 8 | Int(buffer[index]) }
    let limit = isAuthenticated ? Limits.frame : Limits.frameBeforeAuthentication
    guard length >= Limits.frameHeader, length <= limit else { throw .malformed(.frameSize) }
    let body = start + 4
    if buffer.count >= body + Limits.frameHeader {
      let flags = Frame.Flags(rawValue: buffer[body + 2])
      guard flags.isSubset(of: isAuthenticated ? .compressed : []) else { throw .malformed(.flags) }
    }
    guard buffer.count >= body + length else { return nil }
    let frame = Frame(
      type: UInt16(buffer[body]) << 8 | UInt16(buffer[body + 1]), flags: Frame.Flags(rawValue: buffer[body + 2]),
      payload: Array(buffer[(body + Limits.frameHeader)..<(body + length)]))
    start = body + length
    return frame
  }
}
