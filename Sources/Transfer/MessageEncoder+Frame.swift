import Wire

extension MessageEncoder {
  /// The frame of a message that is not a batch: small by construction.
  func frame(of message: Message) -> [UInt8] {
    do {
      return try encode(message)
    } catch {
      preconditionFailure("only a batch can be too large, and whoever sends batches encodes them itself")
    }
  }
}
