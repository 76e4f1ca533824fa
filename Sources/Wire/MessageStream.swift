import BrowsingData

/// Messages out: payload, compression, frame. One for each connection; used by one thread at a time.
package struct MessageEncoder {
  private let compressor = BatchCompressor()

  /// Ready to encode.
  package init() {}

  /// The bytes on the wire. Batches without secrets are compressed where that makes them smaller: how well a secret
  /// compresses beside text that others chose would tell something of it. `compresses` false: the owner of the files says
  /// that it is not worth it.
  package func encode(_ message: Message, compresses: Bool = true) throws(WireError) -> [UInt8] {
    let payload = try MessageCodec.encode(message)
    if compresses, MessageEncoder.mayCompress(message), let compressed = compressor.compress(payload) {
      return try Frame(type: message.number, flags: .compressed, payload: compressed).encoded()
    }
    return try Frame(type: message.number, payload: payload).encoded()
  }

  private static func mayCompress(_ message: Message) -> Bool {
    switch message {
    case .batch(let batch): !batch.changes.log.type.isSecret
    case .syncBatch(let rows): !rows.batch.log.type.isSecret
    case .ping, .hello, .pong, .pairShare, .pairConfirm, .info, .paired, .error, .close, .offer, .choose, .accept,
      .resume, .acknowledge, .end, .done, .cancel, .syncOpen, .caughtUp, .unpair, .unknown:
      false
    }
  }
}

/// Messages in, however the bytes come. One for each connection; used by one thread at a time.
package struct MessageDecoder {
  private var frames: FrameDecoder
  private let decompressor = BatchDecompressor()
  private var fault: WireError?
  /// The payload of the peer's HELLO as it came, unknown fields included: the pairing vouches for these very bytes.
  package private(set) var helloPayload: [UInt8] = []

  /// With nothing received.
  package init(isAuthenticated: Bool = false) { frames = FrameDecoder(isAuthenticated: isAuthenticated) }

  /// Whether the peer is authenticated: larger frames and compression are taken.
  package var isAuthenticated: Bool {
    get { frames.isAuthenticated }
    set { frames.isAuthenticated = newValue }
  }

  /// Whether a frame has begun that is not complete: its deadline runs.
  package var isWithinFrame: Bool { frames.isWithinFrame }

  /// Takes bytes as they came.
  package mutating func feed(_ bytes: some Collection<UInt8>) { frames.feed(bytes) }

  /// The next message, nil until more bytes come. Call until nil after each `feed`. After a fault every call throws it.
  package mutating func next() throws(WireError) -> Message? {
    if let fault { throw fault }
    do {
      guard let frame = try frames.next() else { return nil }
      let payload =
        frame.flags.contains(.compressed) ? try decompressor.decompress(frame.payload) : frame.payload
      let message = try MessageCodec.decode(frame.type, payload)
      if case .hello = message { helloPayload = payload }
      return message
    } catch {
      fault = error
      throw error
    }
  }
}
