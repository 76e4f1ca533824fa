import Channel
import Crypto
import Foundation
import Testing

/// The `openssl` command as a judge from outside, with the identities of Certs/.
@Suite struct OpenSSLJudgeTests {
  private let listener: Listener
  private let identity: DeviceIdentity

  init() throws {
    listener = try Listener([Endpoint(host: "127.0.0.1", port: 0)])
    identity = try .temporary()
  }

  @Test(arguments: ["valid", "expired"])
  func `a pinned key gets in by TLS 1.3, whatever the certificate's dates`(name: String) async throws {
    let peer = try certified(name)
    let outcome = try await visit(name, pinned: [peer])
    #expect(outcome == .received("hello", from: peer))
  }

  @Test func `another key, another curve or no certificate does not get in`() async throws {
    let peer = try certified("valid")
    #expect(try await visit("wrong-key", pinned: [peer]) == .failed(.identityChanged))
    for name in ["wrong-curve", nil] {
      let outcome = try await visit(name, pinned: nil)
      #expect([.failed(.identityChanged), .failed(.incompatible)].contains(outcome), "\(outcome)")
    }
  }

  @Test func `TLS 1.2, another application protocol or none is incompatible`() async throws {
    #expect(try await visit("valid", pinned: nil, options: ["-tls1_2", "-alpn", "wherry/1"]) == .failed(.incompatible))
    #expect(try await visit("valid", pinned: nil, options: ["-tls1_3", "-alpn", "h2"]) == .failed(.incompatible))
    #expect(try await visit("valid", pinned: nil, options: ["-tls1_3"]) == .failed(.incompatible))
  }

  @Test func `a server that speaks TLS 1.2 only, or no application protocol, is incompatible`() async throws {
    for options in [["-tls1_2"], ["-tls1_3"]] {
      let server = try openssl(
        ["s_server", "-accept", "127.0.0.1:0", "-cert", path("valid.pem"), "-key", path("valid.key")] + options)
      defer { server.end() }
      let port = try await onThread { try server.port() }
      let context = try identity.context(.connector, peers: .anyone)
      let error = await #expect(throws: ChannelError.self) {
        try await onThread {
          let socket = try Socket.connect(to: Endpoint(host: "127.0.0.1", port: port), until: .after(seconds: 10))
          try SecureStream(socket, context: context).handshake(until: .after(seconds: 10))
        }
      }
      #expect(error == .incompatible)
    }
  }

  // MARK: Helpers

  private enum Outcome: Equatable {
    case received(String, from: PeerID)
    case failed(ChannelError?)
  }

  /// `openssl s_client` says hello to a listener that knows these peers, or takes anyone.
  private func visit(
    _ name: String?, pinned: Set<PeerID>?, options: [String] = ["-tls1_3", "-alpn", "wherry/1"]
  ) async throws -> Outcome {
    let key = name.map { ["-cert", path("\($0).pem"), "-key", path("\($0).key")] } ?? []
    let client = try openssl(["s_client", "-connect", "127.0.0.1:\(listener.port)", "-quiet"] + key + options)
    defer { client.end() }
    client.input.fileHandleForWriting.write(Data("hello".utf8))
    let context = try identity.context(.listener, peers: pinned.map { .pinned($0) } ?? .anyone)
    let listener = listener
    do {
      return try await onThread {
        let visitor = try #require(try listener.accept(until: .after(seconds: 20)))
        let stream = try SecureStream(visitor.socket, context: context)
        try stream.handshake(until: .after(seconds: 10))
        guard case .received(let bytes) = stream.wait(until: .after(seconds: 10)), let peer = stream.peerID else {
          return .failed(nil)
        }
        return .received(String(decoding: bytes, as: UTF8.self), from: peer)
      }
    } catch let error as ChannelError { return .failed(error) }
  }

  private func certified(_ name: String) throws -> PeerID {
    let certificate = try Certificate(pem: Array(Data(contentsOf: URL(filePath: path("\(name).pem")))))
    return try #require(PeerID(bytes: certificate.publicKeyHash))
  }

  private func path(_ name: String) -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return root.appending(path: "Certs/\(name)").path()
  }

  private func openssl(_ arguments: [String]) throws -> Command {
    let command = Command()
    command.process.executableURL = URL(filePath: "/usr/bin/openssl")
    command.process.arguments = arguments
    command.process.standardInput = command.input
    command.process.standardOutput = command.output
    command.process.standardError = FileHandle.nullDevice
    try command.process.run()
    return command
  }
}

private final class Command: @unchecked Sendable {
  let process = Process()
  let (input, output) = (Pipe(), Pipe())

  /// At once: it may not listen to a polite signal.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The port out of `ACCEPT 127.0.0.1:40123`.
  func port() throws -> UInt16 {
    var text = ""
    while !text.contains("\n") || !text.contains("ACCEPT") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
    return try #require(line?.split(separator: ":").last.flatMap { UInt16($0) })
  }
}
