import Channel
import Wire

/// Messages over an authenticated stream. One thread owns it.
final class MessageLink {
  /// What a wait gave.
  enum Event {
    case message(Message)
    /// Another thread wants attention.
    case woken
    case timedOut
    case closed(SecureStream.Closing)
  }

  let stream: SecureStream
  private let encoder = MessageEncoder()
  private var decoder = MessageDecoder()
  private var frameBegan: Deadline?
  /// Bytes received, as frames.
  private(set) var bytesReceived = 0
  /// Bytes sent, as frames.
  private(set) var bytesSent = 0

  init(_ stream: SecureStream) { self.stream = stream }

  /// The payload of the peer's HELLO, as it came.
  var helloPayload: [UInt8] { decoder.helloPayload }

  /// From here on larger frames and compressed ones are taken.
  func markAuthenticated() { decoder.isAuthenticated = true }

  func send(_ message: Message) { send(frame: encoder.frame(of: message)) }

  func send(frame: [UInt8]) {
    bytesSent += frame.count
    stream.write(frame)
  }

  /// The next message or whatever else happens first. Throws what the peer did wrong.
  func wait(until deadline: Deadline, waker: Waker?) throws(WireError) -> Event {
    while true {
      if let message = try decoder.next() {
        frameBegan = nil
        return .message(message)
      }
      if decoder.isWithinFrame, frameBegan == nil { frameBegan = .after(Limits.oneFrame) }
      let limit = frameBegan.map { min($0, deadline) } ?? deadline
      switch stream.wait(until: limit, waker: waker) {
      case .received(let bytes):
        bytesReceived += bytes.count
        decoder.feed(bytes)
      case .drained:
        continue
      case .woken:
        return .woken
      case .timedOut:
        if let frameBegan, frameBegan.hasPassed { throw .misbehaved(.timeout) }
        return .timedOut
      case .closed(let reason):
        return .closed(reason)
      }
    }
  }

  /// Sends what is still waiting and says goodbye; never waits longer than five seconds.
  func close() { stream.close(until: .after(seconds: 5)) }
}
