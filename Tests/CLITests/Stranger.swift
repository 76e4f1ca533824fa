import Foundation

/// Some other service on a port of loopback: greets everyone with a line of text, or says nothing.
final class Stranger: @unchecked Sendable {
  // Reason for @unchecked: both properties are set once, before the thread starts.
  let port: UInt16
  private let descriptor: Int32
  private let visited = DispatchSemaphore(value: 0)

  struct NoSocket: Error {}

  init(answers: Bool = true) throws {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptor = server
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(server, $0, length) == 0 && listen(server, 8) == 0 && getsockname(server, $0, &length) == 0
      }
    }
    guard result else { throw NoSocket() }
    port = UInt16(bigEndian: address.sin_port)
    let visited = visited
    Thread.detachNewThread {
      while true {
        let peer = accept(server, nil, nil)
        if peer < 0 { return }
        visited.signal()
        if answers {
          let text = Array("220 mail.test ready\r\n".utf8)
          _ = write(peer, text, text.count)
          close(peer)
        }
      }
    }
  }

  /// Waits until somebody has connected.
  func waitForVisitor() { visited.wait() }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
