import BrowsingData

extension MessageCodec {
  static func encode(_ offer: Offer) -> [UInt8] {
    var fields = TLVWriter()
    fields.bytes(2, offer.incarnation)
    fields.varint(4, UInt64(offer.supported.rawValue))
    fields.field(6) { writer in
      for item in offer.items.sorted(by: { $0.type < $1.type }) {
        var entry = TLVWriter()
        entry.varint(2, UInt64(item.type.rawValue))
        entry.natural(4, item.count)
        entry.natural(6, item.bytes)
        if let newest = item.newest { entry.signed(7, newest.microseconds) }
        writer.counted(entry.finish())
      }
    }
    if !offer.profiles.isEmpty {
      fields.field(9) { writer in
        for profile in offer.profiles { writer.counted(profile.utf8) }
      }
    }
    if let resources = offer.resources {
      var note = TLVWriter()
      note.text(2, resources.application)
      note.text(4, resources.version)
      note.text(6, resources.platform)
      note.flag(7, resources.isCompressible)
      fields.bytes(11, note.finish())
    }
    return fields.finish()
  }

  static func offer(_ fields: inout TLVReader) throws(WireError) -> Offer {
    let incarnation = try fields.required(2).wholeBytes(16)
    let supported = try fields.required(4).wholeTypes()
    let list = try fields.required(6)
    let map = fields
    var items: [Offer.Item] = []
    var reader = list
    while !reader.isAtEnd {
      var entry = try map.map(try reader.countedPart())
      let type = try entry.required(2).wholeCase(of: DataType.self)
      if let last = items.last, last.type >= type { throw .malformed(.order) }
      var item = Offer.Item(
        type: type, count: try entry.required(4).wholeNatural(), bytes: try entry.required(6).wholeNatural())
      if let newest = try entry.field(7) { item.newest = Timestamp(microseconds: try newest.wholeSigned()) }
      try entry.finish()
      items.append(item)
    }
    var offer = Offer(incarnation: incarnation, supported: supported, items: items)
    if let profiles = try fields.field(9) {
      offer.profiles = try profiles.wholeList(name)
      guard !offer.profiles.isEmpty else { throw .malformed(.value) }
    }
    if let value = try fields.field(11) {
      var note = try fields.map(value)
      offer.resources = ResourcesNote(
        application: try note.required(2).wholeText(atMost: Limits.name),
        version: try note.required(4).wholeText(atMost: Limits.name),
        platform: try note.required(6).wholeText(atMost: Limits.name), isCompressible: try note.flag(7))
      try note.finish()
    }
    return offer
  }

  static func encode(_ choice: Choice) -> [UInt8] {
    var fields = TLVWriter()
    fields.varint(2, UInt64(choice.types.rawValue))
    fields.flag(3, choice.wantsSecrets)
    if !choice.profiles.isEmpty {
      fields.field(5) { writer in
        for profile in choice.profiles {
          writer.counted(profile.name.utf8)
          writer.counted(profile.value.utf8)
        }
      }
    }
    return fields.finish()
  }

  static func choice(_ fields: inout TLVReader) throws(WireError) -> Choice {
    var choice = Choice(types: try fields.required(2).wholeTypes(), wantsSecrets: try fields.flag(3))
    if let profiles = try fields.field(5) {
      choice.profiles = try profiles.wholeList { (reader) throws(WireError) in
        NamedValue(name: try name(&reader), value: try name(&reader))
      }
      guard !choice.profiles.isEmpty else { throw .malformed(.value) }
    }
    return choice
  }

  static func encode(_ grant: Grant) -> [UInt8] {
    var fields = TLVWriter()
    fields.varint(2, UInt64(grant.types.rawValue))
    fields.flag(3, grant.grantsSecrets)
    fields.bytes(4, grant.incarnation)
    return fields.finish()
  }

  static func grant(_ fields: inout TLVReader) throws(WireError) -> Grant {
    Grant(
      types: try fields.required(2).wholeTypes(), grantsSecrets: try fields.flag(3),
      incarnation: try fields.required(4).wholeBytes(16))
  }

  static func encode(_ resume: Resume) -> [UInt8] {
    var fields = TLVWriter()
    fields.map(2, resume.cursors) { $0.varint(UInt64(clamping: $1)) }
    fields.optionalBytes(3, resume.incarnation)
    return fields.finish()
  }

  static func resume(_ fields: inout TLVReader) throws(WireError) -> Resume {
    let cursors: [ChangeLog: Int64] = try fields.required(2).wholeMap(readNatural)
    return Resume(incarnation: try fields.optionalID(3), cursors: cursors)
  }

  static func readNatural(_ reader: inout ByteReader) throws(WireError) -> Int64 { try reader.natural() }

  private static func name(_ reader: inout ByteReader) throws(WireError) -> String {
    try reader.countedPart().wholeText(atMost: Limits.name)
  }
}
