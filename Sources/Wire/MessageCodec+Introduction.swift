import BrowsingData

extension MessageCodec {
  static func encode(_ hello: Hello) -> [UInt8] {
    var fields = TLVWriter()
    fields.varint(2, UInt64(hello.versions.oldest))
    fields.varint(4, UInt64(hello.versions.newest))
    fields.varint(6, UInt64(hello.role.rawValue))
    fields.bytes(8, hello.nonce)
    if hello.features != 0 { fields.varint(9, hello.features) }
    fields.optionalBytes(11, hello.token)
    return fields.finish()
  }

  static func hello(_ fields: inout TLVReader) throws(WireError) -> Hello {
    guard let oldest = UInt16(exactly: try fields.required(2).wholeVarint()),
      let newest = UInt16(exactly: try fields.required(4).wholeVarint()), oldest >= 1, oldest <= newest
    else { throw .malformed(.value) }
    var hello = Hello(
      versions: ProtocolVersion(oldest: oldest, newest: newest),
      role: try fields.required(6).wholeCase(of: Role.self), nonce: try fields.required(8).wholeBytes(16))
    if let features = try fields.field(9) {
      hello.features = try features.wholeVarint()
      guard hello.features != 0 else { throw .malformed(.value) }
      // Bit 2n is a feature that the peer insists on; none is known yet.
      guard hello.features & 0x5555_5555_5555_5555 == 0 else { throw .malformed(.unknownCritical) }
    }
    hello.token = try fields.optionalID(11)
    return hello
  }

  static func encode(_ info: Info) -> [UInt8] {
    var fields = TLVWriter()
    fields.text(2, info.name)
    fields.text(4, info.software)
    fields.signed(6, info.clock)
    if let port = info.port { fields.varint(7, UInt64(port)) }
    return fields.finish()
  }

  static func info(_ fields: inout TLVReader) throws(WireError) -> Info {
    var info = Info(
      name: try fields.required(2).wholeText(atMost: Limits.name),
      software: try fields.required(4).wholeText(atMost: Limits.name),
      clock: try fields.required(6).wholeSigned())
    if let value = try fields.field(7) {
      guard let port = UInt16(exactly: try value.wholeVarint()), port > 0 else { throw .malformed(.value) }
      info.port = port
    }
    return info
  }

  static func encode(_ share: PairShare) -> [UInt8] {
    var fields = TLVWriter()
    fields.bytes(2, share.share)
    fields.bytes(4, share.associatedData)
    fields.varint(6, UInt64(share.means.rawValue))
    return fields.finish()
  }

  static func pairShare(_ fields: inout TLVReader) throws(WireError) -> PairShare {
    let share = try fields.required(2).wholeBytes(32)
    let data = try fields.required(4)
    guard data.remaining <= Limits.associatedData else { throw .malformed(.limit) }
    return PairShare(
      share: share, associatedData: try data.wholeBytes(data.remaining),
      means: try fields.required(6).wholeCase(of: PairShare.Means.self))
  }

  static func encode(_ paired: Paired) -> [UInt8] {
    var fields = TLVWriter()
    fields.varint(2, UInt64(paired.mode.rawValue))
    fields.optionalBytes(3, paired.token)
    return fields.finish()
  }

  static func paired(_ fields: inout TLVReader) throws(WireError) -> Paired {
    Paired(mode: try fields.required(2).wholeCase(of: Paired.Mode.self), token: try fields.optionalID(3))
  }

  static func encode(_ report: ErrorReport) -> [UInt8] {
    var fields = TLVWriter()
    fields.varint(2, UInt64(report.code.rawValue))
    fields.flag(3, report.mayRetry)
    if !report.text.isEmpty { fields.text(5, report.text.cut(toBytes: Limits.errorText)) }
    if let needed = report.needed { fields.natural(7, needed) }
    if let log = report.log { fields.varint(9, UInt64(log.rawValue)) }
    fields.optionalBytes(11, report.incarnation)
    return fields.finish()
  }

  static func errorReport(_ fields: inout TLVReader) throws(WireError) -> ErrorReport {
    var report = ErrorReport(
      try fields.required(2).wholeCase(of: ErrorCode.self), mayRetry: try fields.flag(3))
    if let text = try fields.field(5) {
      report.text = try text.wholeText(atMost: Limits.errorText)
      guard !report.text.isEmpty else { throw .malformed(.value) }
    }
    if let needed = try fields.field(7) { report.needed = try needed.wholeNatural() }
    if let log = try fields.field(9) { report.log = try log.wholeCase(of: ChangeLog.self) }
    report.incarnation = try fields.optionalID(11)
    return report
  }
}

extension String {
  /// Its beginning, of at most so many bytes of UTF-8.
  func cut(toBytes limit: Int) -> String {
    var result = ""
    var count = 0
    for scalar in unicodeScalars {
      count += UTF8.width(scalar)
      if count > limit { break }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
