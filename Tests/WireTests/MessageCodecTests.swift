import BrowsingData
import TestSupport
import Testing

@testable import Wire

@Suite struct MessageCodecTests {
  @Test func `every message comes back as it was and has one encoding`() throws {
    for seed in 1...40 as ClosedRange<UInt64> {
      var samples = WireSamples(seed: seed)
      for message in samples.messages() {
        let payload = try MessageCodec.encode(message)
        let back = try MessageCodec.decode(message.number, payload)
        #expect(back == message)
        #expect(try MessageCodec.encode(back) == payload)
      }
    }
  }

  @Test func `messages with nothing optional come back`() throws {
    let id = [UInt8](repeating: 7, count: 16)
    for message: Message in [
      .hello(Hello(role: .export, nonce: id)), .paired(Paired(mode: .session)), .error(ErrorReport(.authentication)),
      .offer(Offer(incarnation: id, supported: [], items: [])), .choose(Choice(types: [], wantsSecrets: false)),
      .accept(Grant(types: .bookmarks, grantsSecrets: false, incarnation: id)),
      .resume(Resume(incarnation: nil, cursors: [:])), .end([:]), .done(Summary(figures: [:], ends: [:])),
    ] {
      #expect(try MessageCodec.decode(message.number, MessageCodec.encode(message)) == message)
    }
  }

  @Test func `a spoilt field of any message is refused with its code`() throws {
    var samples = WireSamples(seed: 5)
    var cases = 0
    for message in samples.messages() {
      let raw = try RawFields(MessageCodec.encode(message))
      func refuse(_ bytes: [UInt8], _ why: WireError.Malformation?, _ what: String) {
        cases += 1
        do {
          let other = try MessageCodec.decode(message.number, bytes)
          Issue.record("\(what) of message \(message.number) was taken as \(other.number)")
        } catch {
          #expect(why == nil || error == .malformed(why ?? .value), "\(what) of message \(message.number): \(error)")
        }
      }
      for index in raw.fields.indices {
        let number = raw.fields[index].number
        if number % 2 == 0 {
          refuse(raw.changed { $0.fields.remove(at: index) }, nil, "missing \(number)")
        }
        refuse(raw.changed { $0.fields.insert($0.fields[index], at: index) }, .order, "doubled \(number)")
        if index > 0 { refuse(raw.changed { $0.fields.swapAt(index, index - 1) }, nil, "swapped \(number)") }
        refuse(raw.changed { $0.fields[index].number = 200 }, nil, "unknown even for \(number)")
        refuse(Array(raw.bytes.dropLast()), nil, "short")
        var long = raw
        long.fields[index].value += [UInt8](repeating: 0xff, count: 1_100_000)
        refuse(long.bytes, nil, "too long \(number)")
      }
      refuse(raw.bytes + [200, 1, 0], .unknownCritical, "even at the end")
      refuse(raw.bytes + [0x81, 0x00, 0], .varint, "long form of a number")
      refuse(raw.bytes + [0xc9, 1, 5, 0], .truncated, "length beyond the end")
    }
    #expect(cases > 250)
  }

  @Test func `odd fields of a newer version are ignored, between and after the known ones`() throws {
    var samples = WireSamples(seed: 6)
    for message in samples.messages() {
      let raw = try RawFields(MessageCodec.encode(message))
      for number in [1, 301] as [UInt64] {
        let bytes = raw.changed {
          $0.fields.append((number, [1, 2, 3]))
          $0.fields.sort { $0.number < $1.number }
        }
        #expect(try MessageCodec.decode(message.number, bytes) == message)
      }
    }
  }

  @Test func `an odd message that is not known is named, an even one refused`() throws {
    #expect(try MessageCodec.decode(99, [1, 2, 3]) == .unknown(99))
    #expect(throws: WireError.malformed(.unknownCritical)) { try MessageCodec.decode(98, []) }
    #expect(throws: WireError.malformed(.unknownCritical)) { try MessageCodec.decode(0, []) }
    #expect(throws: WireError.malformed(.unknownCritical)) { try MessageCodec.decode(38, []) }
  }

  @Test func `texts and lists of messages end at their limits`() throws {
    func name(_ count: Int) -> Message {
      .info(Info(name: String(repeating: "n", count: count), software: "", clock: 0))
    }
    #expect(try MessageCodec.decode(7, MessageCodec.encode(name(Limits.name))) == name(Limits.name))
    #expect(throws: WireError.malformed(.value)) {
      try MessageCodec.decode(7, MessageCodec.encode(name(Limits.name + 1)))
    }
    func share(_ count: Int) -> Message {
      .pairShare(
        PairShare(
          share: [UInt8](repeating: 1, count: 32), associatedData: [UInt8](repeating: 2, count: count), means: .digits))
    }
    #expect(try MessageCodec.decode(4, MessageCodec.encode(share(Limits.associatedData))).number == 4)
    #expect(throws: WireError.malformed(.limit)) {
      try MessageCodec.decode(4, MessageCodec.encode(share(Limits.associatedData + 1)))
    }
    var report = ErrorReport(.internalError)
    report.text = String(repeating: "é", count: 300)
    guard case .error(let back) = try MessageCodec.decode(10, MessageCodec.encode(.error(report))) else {
      Issue.record("no ERROR")
      return
    }
    #expect(back.text == String(repeating: "é", count: 100))
    var fields = TLVWriter()
    fields.varint(2, 40)
    fields.bytes(5, [UInt8](repeating: 97, count: 201))
    let long = fields.finish()
    #expect(throws: WireError.malformed(.value)) { try MessageCodec.decode(10, long) }
  }

  @Test func `a feature that a peer insists on and nobody knows is refused`() throws {
    var hello = Hello(role: .sync, nonce: [UInt8](repeating: 0, count: 16))
    hello.features = 0b10
    #expect(try MessageCodec.decode(2, MessageCodec.encode(.hello(hello))) == .hello(hello))
    hello.features = 0b01
    #expect(throws: WireError.malformed(.unknownCritical)) {
      try MessageCodec.decode(2, MessageCodec.encode(.hello(hello)))
    }
  }

  @Test func `versions meet at the newest that both speak`() throws {
    let one = ProtocolVersion(oldest: 1, newest: 3)
    #expect(try one.negotiate(with: ProtocolVersion(oldest: 2, newest: 9)) == 3)
    #expect(try one.negotiate(with: ProtocolVersion(oldest: 1, newest: 2)) == 2)
    #expect(throws: WireError.incompatible(.version)) {
      try one.negotiate(with: ProtocolVersion(oldest: 4, newest: 9))
    }
    #expect(throws: WireError.incompatible(.version)) {
      try one.negotiate(with: ProtocolVersion(oldest: 1, newest: 2), notBelow: 3)
    }
  }
}
