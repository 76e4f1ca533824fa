import Crypto
import Testing

@Suite struct TLSSessionTests {
  @Test func `two self-signed devices shake hands, know each other's key and share a secret`() throws {
    let (a, b) = (try Device(), try Device())
    let (connector, listener) = (try a.session(.connector, trusts: b), try b.session(.listener, trusts: a))
    #expect(shake(connector, listener) == Outcome(connector: .complete, listener: .complete))
    #expect(connector.peerPublicKeyHash == b.key.publicKeyHash)
    #expect(listener.peerPublicKeyHash == a.key.publicKeyHash)
    let secret = try connector.exportKeyingMaterial(label: "EXPORTER-test", length: 32)
    #expect(try listener.exportKeyingMaterial(label: "EXPORTER-test", length: 32) == secret)
    #expect(try listener.exportKeyingMaterial(label: "EXPORTER-other", length: 32) != secret)
  }

  @Test func `bytes written by one side are read by the other, then the close`() throws {
    let (a, b) = (try Device(), try Device())
    let (connector, listener) = (try a.session(.connector, trusts: b), try b.session(.listener, trusts: a))
    _ = shake(connector, listener)
    let message = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try message.withUnsafeBytes { try connector.write($0) }
    connector.close()
    move(connector, listener)
    #expect(readAll(listener) == message)
    #expect(read(listener) == .closed)
    #expect(read(listener) == .closed)
  }

  @Test func `a key that the connector does not accept ends the handshake before the listener has its certificate`()
    throws
  {
    let (a, b) = (try Device(), try Device())
    let (connector, listener) = (try a.session(.connector), try b.session(.listener, trusts: a))
    let outcome = shake(connector, listener)
    #expect(outcome.connector == .failed(.untrustedPeer))
    #expect(outcome.listener == .failed(.refusedByPeer))
    #expect(listener.peerPublicKeyHash == nil)
  }

  @Test func `a key that the listener does not accept is told so by the first read`() throws {
    let (a, b) = (try Device(), try Device())
    let (connector, listener) = (try a.session(.connector, trusts: b), try b.session(.listener))
    let outcome = shake(connector, listener)
    #expect(outcome.listener == .failed(.untrustedPeer))
    move(listener, connector)
    #expect(read(connector) == .failed(.refusedByPeer))
  }

  @Test func `another application protocol is incompatible`() throws {
    let (a, b) = (try Device(), try Device())
    let connector = try a.session(.connector, trusts: b, applicationProtocol: "h2")
    let listener = try b.session(.listener, trusts: a)
    let outcome = shake(connector, listener)
    guard case .failed(.incompatible) = outcome.connector else {
      Issue.record("\(outcome.connector)")
      return
    }
    #expect(outcome.listener != .complete)
  }

  @Test func `bytes that are no TLS are incompatible, flipped ones broken`() throws {
    let (a, b) = (try Device(), try Device())
    let stranger = try b.session(.listener, trusts: a)
    Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { stranger.feed($0) }
    guard case .failed(.incompatible) = stranger.handshake() else {
      Issue.record("HTTP was taken")
      return
    }
    let (connector, listener) = (try a.session(.connector, trusts: b), try b.session(.listener, trusts: a))
    _ = shake(connector, listener)
    try [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { try connector.write($0) }
    var ciphertext = take(connector)
    ciphertext[500] ^= 1
    ciphertext.withUnsafeBytes { listener.feed($0) }
    guard case .failed(.broken(.openSSL(let stack))) = read(listener) else {
      Issue.record("changed bytes were taken")
      return
    }
    #expect(stack.contains { $0.contains("bad record mac") })
  }

  @Test func `a handshake fed byte by byte completes`() throws {
    let (a, b) = (try Device(), try Device())
    let (connector, listener) = (try a.session(.connector, trusts: b), try b.session(.listener, trusts: a))
    var (first, second) = (connector.handshake(), listener.handshake())
    for _ in 0..<6 {
      for byte in take(connector) {
        [byte].withUnsafeBytes { listener.feed($0) }
        second = listener.handshake()
      }
      for byte in take(listener) {
        [byte].withUnsafeBytes { connector.feed($0) }
        first = connector.handshake()
      }
    }
    #expect(first == .complete)
    #expect(second == .complete)
  }
}

@Suite struct PrivateKeyTests {
  @Test func `a key survives its PEM form and keeps its hash`() throws {
    let key = try PrivateKey.generate()
    let again = try PrivateKey(pem: key.pem())
    #expect(again.publicKeyHash == key.publicKeyHash)
    #expect(key.publicKeyHash.count == 32)
    #expect(try PrivateKey.generate().publicKeyHash != key.publicKeyHash)
  }

  @Test func `a certificate has the hash of its key`() throws {
    let key = try PrivateKey.generate()
    let certificate = try Certificate.selfSigned(key)
    #expect(certificate.publicKeyHash == key.publicKeyHash)
    #expect(try Certificate(pem: certificate.pem()).publicKeyHash == key.publicKeyHash)
  }

  @Test func `what is no key and no certificate is refused without its bytes`() {
    let junk = Array("-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n".utf8)
    #expect(throws: CryptoError.invalidInput("private key file")) { try PrivateKey(pem: SecureBytes(junk)) }
    #expect(throws: CryptoError.invalidInput("certificate file")) { try Certificate(pem: junk) }
  }
}

private struct Device {
  let key: PrivateKey
  let certificate: Certificate

  init() throws {
    key = try PrivateKey.generate()
    certificate = try Certificate.selfSigned(key)
  }

  func session(
    _ role: TLSContext.Role, trusts peer: Device? = nil, applicationProtocol: String = "wherry/1"
  ) throws -> TLSSession {
    let hash = peer?.key.publicKeyHash
    return try TLSSession(
      TLSContext(role, certificate: certificate, key: key, applicationProtocol: applicationProtocol) { $0 == hash })
  }
}

private struct Outcome: Equatable {
  var connector: TLSSession.Handshake
  var listener: TLSSession.Handshake
}

private func take(_ session: TLSSession) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: session.outputCount) {
    $1 = session.takeOutput(into: UnsafeMutableRawBufferPointer($0))
  }
}

private func move(_ from: TLSSession, _ to: TLSSession) {
  take(from).withUnsafeBytes { to.feed($0) }
}

private func shake(_ connector: TLSSession, _ listener: TLSSession) -> Outcome {
  var outcome = Outcome(connector: .incomplete, listener: .incomplete)
  for _ in 0..<6 {
    if outcome.connector == .incomplete { outcome.connector = connector.handshake() }
    move(connector, listener)
    if outcome.listener == .incomplete { outcome.listener = listener.handshake() }
    if outcome.connector == .incomplete { move(listener, connector) }
  }
  return outcome
}

private func read(_ session: TLSSession) -> TLSSession.Reading {
  var buffer = [UInt8](repeating: 0, count: 10)
  return buffer.withUnsafeMutableBytes { session.read(into: $0) }
}

private func readAll(_ session: TLSSession) -> [UInt8] {
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 40_000)
  while case .bytes(let count) = buffer.withUnsafeMutableBytes({ session.read(into: $0) }) {
    result += buffer.prefix(count)
  }
  return result
}
