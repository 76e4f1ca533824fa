internal import CLinux
internal import Glibc

/// A TCP connection, non-blocking. All socket calls of Wherry are in this file.
package final class Socket: ByteStream, Sendable {
  private let descriptor: Int32
  /// The other end.
  package let peer: Endpoint
  /// This end.
  package let local: Endpoint

  private init(connected descriptor: Int32, isTCP: Bool = true) {
    self.descriptor = descriptor
    peer = SystemAddress.of(descriptor, getpeername).endpoint
    local = SystemAddress.of(descriptor, getsockname).endpoint
    guard isTCP else { return }
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    // A peer that vanished is noticed: unacknowledged bytes after 60 s, an idle connection after 30 + 3 × 10 s.
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 60_000)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  deinit { Glibc.close(descriptor) }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Two ends of one connection inside this process.
  package static func pair() throws(ChannelError) -> (Socket, Socket) {
    var descriptors: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &descriptors) { bytes in
      socketpair(AF_UNIX, nonBlockingStream, 0, bytes.bindMemory(to: Int32.self).baseAddress)
    }
    guard result == 0 else { throw .system("socketpair", errno: errno) }
    return (Socket(connected: descriptors.0, isTCP: false), Socket(connected: descriptors.1, isTCP: false))
  }

  /// Connects, trying each address that the host has. Names are looked up by the system, which may take its own time.
  package static func connect(
    to endpoint: Endpoint, until deadline: Deadline, waker: Waker? = nil
  ) throws(ChannelError) -> Socket {
    let addresses = try SystemAddress.resolve(endpoint, forListening: false)
    var last = ChannelError.unreachable("no address")
    for (index, address) in addresses.enumerated() {
      // An address that swallows everything must not use up the time of the others.
      let isLast = index == addresses.count - 1
      let own = isLast ? deadline : min(deadline, .after(milliseconds: deadline.millisecondsLeft / 2))
      do throws(ChannelError) {
        return try connect(to: address, until: own, waker: waker)
      } catch {
        if error == .cancelled { throw error }
        last = error
      }
    }
    throw last
  }

  private static func connect(
    to address: SystemAddress, until deadline: Deadline, waker: Waker?
  ) throws(ChannelError) -> Socket {
    let descriptor = socket(address.family, nonBlockingStream, 0)
    guard descriptor >= 0 else { throw .unreachable(reason(errno)) }
    var isConnected = false
    defer { if !isConnected { Glibc.close(descriptor) } }
    if address.withPointer({ Glibc.connect(descriptor, $0, $1) }) != 0 {
      guard errno == EINPROGRESS || errno == EINTR else { throw .unreachable(reason(errno)) }
      var interests = [Poll.Interest(descriptor: descriptor, writing: true)]
      if let waker { interests.append(Poll.Interest(descriptor: waker.descriptor, reading: true)) }
      guard try Poll.wait(&interests, until: deadline) else { throw .unreachable("no answer") }
      guard interests[0].canWrite else {
        waker?.take()
        throw .cancelled
      }
      var (failure, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
      if failure != 0 { throw .unreachable(reason(failure)) }
    }
    isConnected = true
    return Socket(connected: descriptor)
  }

  // MARK: ByteStream

  /// See `ByteStream`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> StreamReading {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .nothing
      case ECONNRESET, EPIPE, ENOTCONN: return .ended
      case ETIMEDOUT: throw .timedOut
      default: throw .unreachable(reason(errno))
      }
    }
  }

  /// See `ByteStream`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) -> Int {
    while true {
      let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      case ECONNRESET, EPIPE, ENOTCONN: throw .closedByPeer
      case ETIMEDOUT: throw .timedOut
      default: throw .unreachable(reason(errno))
      }
    }
  }

  /// See `ByteStream`.
  package func wait(
    forWriting: Bool, waker: Waker?, until deadline: Deadline
  ) throws(ChannelError) -> StreamReadiness {
    var interests = [Poll.Interest(descriptor: descriptor, reading: true, writing: forWriting)]
    if let waker { interests.append(Poll.Interest(descriptor: waker.descriptor, reading: true)) }
    guard try Poll.wait(&interests, until: deadline) else { return [] }
    var result: StreamReadiness = []
    if interests[0].isReady { result.insert(.readable) }
    if interests[0].canWrite && forWriting { result.insert(.writable) }
    if let waker, interests[1].isReady, waker.take() { result.insert(.woken) }
    return result
  }

  /// See `ByteStream`. The descriptor itself is given back when the last reference goes.
  package func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A socket that listens on one address.
final class ListeningSocket: Sendable {
  let descriptor: Int32
  /// With the port that the system chose.
  let local: Endpoint

  /// Listens; an IPv6 wildcard takes IPv4 too.
  init(_ address: SystemAddress) throws(ChannelError) {
    let descriptor = socket(address.family, nonBlockingStream, 0)
    guard descriptor >= 0 else { throw .cannotListen(reason(errno)) }
    var (on, off): (Int32, Int32) = (1, address.isWildcard ? 0 : 1)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    if address.family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, 4) }
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
      let failure = errno
      Glibc.close(descriptor)
      throw .cannotListen("\(address.endpoint): \(reason(failure))")
    }
    self.descriptor = descriptor
    local = SystemAddress.of(descriptor, getsockname).endpoint
  }

  deinit { Glibc.close(descriptor) }

  /// The next connection; nil when there is none now. Throws `system` when the process has no descriptors left.
  func accept() throws(ChannelError) -> Socket? {
    while true {
      let accepted = Glibc.accept(descriptor, nil, nil)
      if accepted >= 0 {
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        return Socket(accepted: accepted)
      }
      switch errno {
      case EINTR, ECONNABORTED, EPROTO: continue
      case EAGAIN: return nil
      default: throw .system("accept", errno: errno)
      }
    }
  }
}

extension Socket {
  fileprivate convenience init(accepted descriptor: Int32) { self.init(connected: descriptor) }
}

private let nonBlockingStream = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

private func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

/// A `sockaddr` by value.
struct SystemAddress {
  var family: Int32
  private var bytes: [UInt8]

  init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }

  func withPointer<R>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> R) -> R {
    bytes.withUnsafeBytes { body($0.bindMemory(to: sockaddr.self).baseAddress, socklen_t($0.count)) }
  }

  /// The address of one end of a socket.
  static func of(
    _ descriptor: Int32,
    _ call: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> SystemAddress {
    var storage = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
    var size = socklen_t(storage.count)
    let result = storage.withUnsafeMutableBytes {
      call(descriptor, $0.bindMemory(to: sockaddr.self).baseAddress, &size)
    }
    guard result == 0, size >= 2 else { return SystemAddress(family: AF_UNSPEC, bytes: []) }
    let family = storage.withUnsafeBytes { Int32($0.loadUnaligned(as: sa_family_t.self)) }
    return SystemAddress(family: family, bytes: Array(storage.prefix(Int(size))))
  }

  /// All addresses of an endpoint, in the system's order of preference. An empty host means all of this machine's.
  static func resolve(_ endpoint: Endpoint, forListening: Bool) throws(ChannelError) -> [SystemAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (forListening ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let host = endpoint.host.isEmpty ? (forListening ? nil : "localhost") : endpoint.host
    let result = getaddrinfo(host, String(endpoint.port), &hints, &list)
    guard result == 0 else {
      let text = String(cString: gai_strerror(result))
      throw forListening ? .cannotListen(text) : .unreachable(text)
    }
    defer { freeaddrinfo(list) }
    var addresses: [SystemAddress] = []
    var next = list
    while let entry = next?.pointee {
      let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
      addresses.append(SystemAddress(family: entry.ai_family, bytes: Array(bytes)))
      next = entry.ai_next
    }
    return addresses
  }

  /// Whether it stands for all addresses of its family.
  var isWildcard: Bool { ["::", "0.0.0.0"].contains(endpoint.host) }

  /// In numbers. An IPv4 address that came through an IPv6 socket is shown as IPv4.
  var endpoint: Endpoint {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: 32)
    let result = withPointer { pointer, size in
      getnameinfo(
        pointer, size, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard result == 0, family != AF_UNIX else { return Endpoint(host: "", port: 0) }
    let text = SystemAddress.string(host)
    return Endpoint(
      host: text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text,
      port: UInt16(SystemAddress.string(port)) ?? 0)
  }

  private static func string(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The addresses of the interfaces that are up: IPv4, then IPv6, then link-local and loopback ones.
  static func ofInterfaces() -> [Endpoint] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [(rank: Int, endpoint: Endpoint)] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let pointer = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0 else { continue }
      let family = Int32(pointer.pointee.sa_family)
      guard family == AF_INET || family == AF_INET6 else { continue }
      let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
      let bytes = Array(UnsafeRawBufferPointer(start: pointer, count: size))
      let endpoint = SystemAddress(family: family, bytes: bytes).endpoint
      let isLinkLocal = endpoint.host.contains("%")
      let rank = endpoint.isLoopback ? 3 : isLinkLocal ? 2 : family == AF_INET ? 0 : 1
      found.append((rank, endpoint))
    }
    return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element.endpoint)
  }
}
