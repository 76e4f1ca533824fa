package import Crypto

/// An authenticated, encrypted stream to one peer: TLS over a `ByteStream`, owned by one thread. Writing never blocks: bytes
/// are kept, encrypted and sent while the owner waits, in both directions at once, so two full sides cannot block each other.
package final class SecureStream {
  /// What a wait came back with.
  package enum Event: Equatable, Sendable {
    /// Decrypted bytes, at least one, at most 256 KiB.
    case received([UInt8])
    /// The bytes that wait to be sent fell under `lowWaterMark` after they had been above it.
    case drained
    /// The waker woke.
    case woken
    /// The deadline has passed.
    case timedOut
    /// Nothing more will come or go.
    case closed(Closing)
  }

  /// How a stream ended.
  package enum Closing: Equatable, Sendable {
    /// The peer said so, in its right place: nothing of what it sent is missing.
    case byPeer
    /// The connection broke: what the peer sent may be cut short.
    case lost
    /// TLS or the system failed.
    case failed(ChannelError)
    /// This side closed it.
    case here
  }

  /// Under so many waiting bytes `drained` is told.
  package static let lowWaterMark = 512 * 1_024
  /// What `flush` keeps of the peer's bytes: four times what a peer may send unacknowledged.
  private static let mostKept = 8 * 1_024 * 1_024
  /// The size of the buffers: what is read from or given to the system at once.
  private static let chunk = 256 * 1_024

  private let stream: any ByteStream
  private let session: TLSSession
  private let buffer: UnsafeMutableRawBufferPointer
  private var output: OutputQueue
  private var closing: Closing?
  private var hasUnreadInput = false
  private var owesDrained = false
  private var readsFirst = false
  private var cannotSend = false
  /// The stream gave its end: what was read before is still to be handed out.
  private var hasEnded = false

  /// A stream that has not begun; next comes `handshake`.
  package init(_ stream: any ByteStream, context: TLSContext) throws(ChannelError) {
    session = try ChannelError.tls { () throws(CryptoError) in try TLSSession(context) }
    self.stream = stream
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: SecureStream.chunk, alignment: 64)
    output = OutputQueue(chunk: SecureStream.chunk)
  }

  deinit {
    stream.close()
    buffer.deallocate()
    output.deallocate()
  }

  // MARK: Handshake

  /// Agrees on keys with the peer and judges its key. On failure an alert is sent and the stream is closed.
  /// A connector's success does not yet mean that the listener accepts it: a refusal comes as `.closed(.failed(.refusedByPeer))`.
  package func handshake(until deadline: Deadline, waker: Waker? = nil) throws(ChannelError) {
    do throws(ChannelError) {
      while true {
        let result = session.handshake()
        let isSent = try flushOnce()
        switch result {
        case .failed(let failure): throw ChannelError(failure)
        case .complete where isSent:
          hasUnreadInput = true
          return
        case .complete, .incomplete: try awaitPeer(isSent: isSent, deadline, waker)
        }
      }
    } catch {
      closing = .failed(error)
      stream.close()
      throw error
    }
  }

  private func awaitPeer(isSent: Bool, _ deadline: Deadline, _ waker: Waker?) throws(ChannelError) {
    let ready = try stream.wait(forWriting: !isSent, waker: waker, until: deadline)
    if ready.isEmpty || deadline.hasPassed { throw .timedOut }
    if ready.contains(.woken) { throw .cancelled }
    guard ready.contains(.readable) else { return }
    switch try stream.read(into: buffer) {
    case .bytes(let count): session.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .nothing: break
    case .ended: throw .closedByPeer
    }
  }

  /// Who the peer is; nil before the handshake has shown it.
  package var peerID: PeerID? { session.peerPublicKeyHash.flatMap { PeerID(bytes: $0) } }

  /// A secret of this very connection that both ends share (RFC 8446 section 7.5). Only after the handshake.
  package func exportKeyingMaterial(label: String, length: Int) throws(ChannelError) -> SecureBytes {
    try ChannelError.tls { () throws(CryptoError) in
      try session.exportKeyingMaterial(label: label, length: length)
    }
  }

  // MARK: Writing

  /// Keeps bytes to be sent; they go out during `wait` and `flush`. Does nothing when the stream is closed.
  package func write(_ bytes: [UInt8]) {
    if closing != nil || cannotSend || bytes.isEmpty { return }
    output.append(bytes)
    if pendingBytes >= SecureStream.lowWaterMark { owesDrained = true }
  }

  /// How many bytes wait to be sent, about (those that are already encrypted count with their overhead).
  package var pendingBytes: Int { output.count }

  /// Sends all that waits. Throws `timedOut` or what ended the stream; received bytes stay for the next `wait`. A peer that
  /// sends without end while it reads nothing counts as one that is too slow.
  package func flush(until deadline: Deadline) throws(ChannelError) {
    var received = 0
    while try !flushOnce() {
      if cannotSend { throw .closedByPeer }
      let ready = try stream.wait(forWriting: true, waker: nil, until: deadline)
      if ready.isEmpty || deadline.hasPassed { throw .timedOut }
      // The peer may wait for us to read before it reads: what it sends is kept, still encrypted.
      if ready.contains(.readable) { received += try takeInput() }
      if hasEnded { throw .closedByPeer }
      if received > SecureStream.mostKept { throw .timedOut }
    }
  }

  /// Sends what can be sent now; whether nothing waits any more.
  private func flushOnce() throws(ChannelError) -> Bool {
    while true {
      if output.ciphertext.isEmpty {
        do throws(TLSFailure) { try output.encrypt(with: session) } catch { throw ChannelError(error) }
        if output.ciphertext.isEmpty { return true }
      }
      let count = try stream.write(output.ciphertext)
      if count == 0 { return false }
      output.consume(count)
    }
  }

  // MARK: Waiting

  /// Sends and receives until something is to be told. Once closed it answers `closed` at once, every time.
  package func wait(until deadline: Deadline, waker: Waker? = nil) -> Event {
    while true {
      if let closing { return .closed(closing) }
      do throws(ChannelError) {
        if let event = try step(deadline, waker) { return event }
      } catch {
        closing = SecureStream.closing(of: error)
      }
    }
  }

  /// What the network does to a connection is a loss, whatever the system calls it.
  private static func closing(of error: ChannelError) -> Closing {
    switch error {
    case .closedByPeer, .timedOut, .unreachable: .lost
    case .cannotListen, .cancelled, .wrongPairingCode, .identityChanged, .refusedByPeer, .incompatible, .tls,
      .identityFile, .system:
      .failed(error)
    }
  }

  private func step(_ deadline: Deadline, _ waker: Waker?) throws(ChannelError) -> Event? {
    let isSent = flushTolerantly()
    let isDrained = owesDrained && pendingBytes < SecureStream.lowWaterMark
    // After a `drained` reading comes first, so that a writer that never rests cannot starve it.
    if isDrained && !readsFirst { return tellDrained() }
    if readsFirst && !hasUnreadInput { try takeInput() }
    readsFirst = false
    if hasUnreadInput, let event = decrypted() { return event }
    if closing == nil && hasEnded { closing = .lost }
    if closing != nil { return nil }
    if isDrained { return tellDrained() }
    let ready = try stream.wait(forWriting: !isSent, waker: waker, until: deadline)
    if ready.contains(.readable) { try takeInput() }
    if hasUnreadInput, let event = decrypted() {
      if ready.contains(.woken) { waker?.wake() }
      return event
    }
    if ready.contains(.woken) { return .woken }
    return ready.isEmpty || (deadline.hasPassed && closing == nil && !hasEnded) ? .timedOut : nil
  }

  private func tellDrained() -> Event {
    owesDrained = false
    readsFirst = true
    return .drained
  }

  /// A peer that no longer reads may still have said why: what it sent is read to its end before the stream counts as lost.
  private func flushTolerantly() -> Bool {
    if cannotSend { return true }
    do throws(ChannelError) {
      return try flushOnce()
    } catch {
      cannotSend = true
      output.removeAll()
      owesDrained = false
      return true
    }
  }

  /// Reads once from the stream; how many bytes.
  @discardableResult
  private func takeInput() throws(ChannelError) -> Int {
    switch try stream.read(into: buffer) {
    case .bytes(let count):
      session.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      hasUnreadInput = true
      return count
    case .nothing: break
    case .ended: hasEnded = true
    }
    return 0
  }

  /// Plaintext out of what was read; nil when a whole record is not there yet.
  private func decrypted() -> Event? {
    var reading = TLSSession.Reading.incomplete
    let bytes = [UInt8](unsafeUninitializedCapacity: SecureStream.chunk) { target, count in
      reading = session.read(into: UnsafeMutableRawBufferPointer(target))
      if case .bytes(let got) = reading { count = got }
    }
    switch reading {
    case .bytes: return .received(bytes)
    case .incomplete: hasUnreadInput = false
    case .closed: closing = .byPeer
    case .failed(let failure):
      closing = .failed(ChannelError(failure))
      _ = flushTolerantly()
    }
    return nil
  }

  // MARK: Closing

  /// Ends the stream: sends what waits and `close_notify` as far as the deadline allows, then closes. May be called twice.
  package func close(until deadline: Deadline = .now) {
    if closing == nil && !cannotSend {
      try? flush(until: deadline)
      if output.isEmpty {
        session.close()
        try? flush(until: deadline)
      }
    }
    if closing == nil { closing = .here }
    stream.close()
  }
}
