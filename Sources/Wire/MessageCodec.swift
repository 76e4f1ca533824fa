/// Messages as payloads and back. One value has one encoding. Field numbers: Documentation/Protocol.md.
package enum MessageCodec {
  /// The payload of a message. Throws only for a batch that is larger than a batch may be.
  package static func encode(_ message: Message) throws(WireError) -> [UInt8] {
    switch message {
    case .ping(let bytes), .pong(let bytes), .pairConfirm(let bytes):
      var fields = TLVWriter()
      fields.bytes(2, bytes)
      return fields.finish()
    case .hello(let hello): return encode(hello)
    case .pairShare(let share): return encode(share)
    case .info(let info): return encode(info)
    case .paired(let paired): return encode(paired)
    case .error(let report): return encode(report)
    case .close(let reason):
      var fields = TLVWriter()
      fields.varint(2, UInt64(reason?.rawValue ?? 0))
      return fields.finish()
    case .offer(let offer): return encode(offer)
    case .choose(let choice): return encode(choice)
    case .accept(let grant): return encode(grant)
    case .resume(let resume): return encode(resume)
    case .batch(let batch): return try encode(batch)
    case .acknowledge(let acknowledgement): return encode(acknowledgement)
    case .end(let ends):
      var fields = TLVWriter()
      fields.map(2, ends, write)
      return fields.finish()
    case .done(let summary): return encode(summary)
    case .cancel(let reason):
      var fields = TLVWriter()
      fields.varint(2, UInt64(reason.rawValue))
      return fields.finish()
    case .syncOpen(let open): return encode(open)
    case .syncBatch(let rows): return try encode(rows)
    case .caughtUp(let end): return encode(end)
    case .unpair, .unknown: return []
    }
  }

  /// The message with this number. An odd number that is not known gives `.unknown`, an even one throws.
  package static func decode(_ number: UInt16, _ payload: [UInt8]) throws(WireError) -> Message {
    var fields = try TLVReader(payload)
    let message: Message
    switch number {
    case 1: message = .ping(try fields.required(2).wholeBytes(8))
    case 2: message = .hello(try hello(&fields))
    case 3: message = .pong(try fields.required(2).wholeBytes(8))
    case 4: message = .pairShare(try pairShare(&fields))
    case 6: message = .pairConfirm(try fields.required(2).wholeBytes(64))
    case 7: message = .info(try info(&fields))
    case 8: message = .paired(try paired(&fields))
    case 10: message = .error(try errorReport(&fields))
    case 12:
      let value = try fields.required(2)
      message = .close(try value.wholeVarint() == 0 ? nil : value.wholeCase(of: ErrorCode.self))
    case 16: message = .offer(try offer(&fields))
    case 18: message = .choose(try choice(&fields))
    case 20: message = .accept(try grant(&fields))
    case 22: message = .resume(try resume(&fields))
    case 24: message = try anyBatch(&fields, payload)
    case 26: message = .acknowledge(try acknowledgement(&fields))
    case 28: message = .end(try fields.required(2).wholeMap(readEnd))
    case 30: message = .done(try summary(&fields))
    case 32: message = .cancel(try fields.required(2).wholeCase(of: CancelReason.self))
    case 34: message = .syncOpen(try syncOpening(&fields))
    case 36: message = .caughtUp(try syncEnd(&fields))
    case 40: message = .unpair
    case let other:
      guard other % 2 == 1 else { throw .malformed(.unknownCritical) }
      return .unknown(other)
    }
    try fields.finish()
    return message
  }
}
