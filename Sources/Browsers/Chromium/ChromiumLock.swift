internal import BrowsingData
internal import Crypto
internal import Glibc

/// Chromium's own lock on a user data folder, held until the last reference goes: the link `SingletonLock`, and the
/// socket at which a browser that is started meanwhile asks the one that it takes for running. It waits there for its
/// answer; when the lock goes it hears that the other one is about to end, and starts as if nothing had been. What a
/// crash leaves names a process that is gone and a socket that nobody hears: the next browser takes it away.
final class ChromiumLock {
  /// A browser waits twenty seconds for its answer, then it ends the process that does not give it.
  private static let patience = 12
  private static let names = (lock: "SingletonLock", socket: "SingletonSocket", cookie: "SingletonCookie")

  private let folder: String
  private let target: String
  private var rendezvous: (folder: TemporaryFolder, socket: Int32)?
  private var waiting: [(connection: Int32, since: Int)] = []

  /// Takes the lock of a user data folder; throws `inUse` when a browser has it.
  init(_ userData: String) throws(ProfileError) {
    folder = userData
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    target = "\(host)-\(getpid())"
    let lock = userData + "/" + ChromiumLock.names.lock
    if ProfileLock.isChromiumOpen(userData) { throw .inUse("the profile") }
    // What is there now was left behind by a crash.
    unlink(lock)
    guard symlink(target, lock) == 0 else {
      throw errno == EEXIST ? .inUse("the profile") : ProfileFile.failure(lock)
    }
    // Without the socket a browser does not wait, but takes the lock away; `isHeld` tells.
    rendezvous = listen()
  }

  /// Whether the lock is still ours: nobody has taken it away.
  var isHeld: Bool { ChromiumLock.readLink(folder + "/" + ChromiumLock.names.lock) == target }

  /// Looks whether a browser was started and has waited so long that it would do something rash: it is sent away.
  /// To be called at least every few seconds.
  func attend() {
    guard let rendezvous else { return }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    while true {
      let connection = accept(rendezvous.socket, nil, nil)
      if connection < 0 { break }
      waiting.append((connection, now.tv_sec))
    }
    waiting.removeAll { entry in
      guard now.tv_sec - entry.since >= ChromiumLock.patience else { return false }
      ChromiumLock.answer("ACK", to: entry.connection)
      return true
    }
  }

  deinit {
    attend()
    let isHeld = isHeld
    if isHeld {
      for name in [ChromiumLock.names.socket, ChromiumLock.names.cookie, ChromiumLock.names.lock] {
        unlink(folder + "/" + name)
      }
    }
    attend()
    for entry in waiting { ChromiumLock.answer("SHUTDOWN", to: entry.connection) }
    if let rendezvous { close(rendezvous.socket) }
  }

  /// The socket and the cookie by which a browser knows that it belongs to the same user.
  private func listen() -> (folder: TemporaryFolder, socket: Int32)? {
    guard let place = try? TemporaryFolder() else { return nil }
    let socketPath = place.path + "/" + ChromiumLock.names.socket
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(socketPath.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let socket = Glibc.socket(AF_UNIX, kind, 0)
    guard socket >= 0 else { return nil }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 }
    }
    let cookie = hexadecimal(Random.bytes(8))
    let links = [
      (socketPath, folder + "/" + ChromiumLock.names.socket), (cookie, folder + "/" + ChromiumLock.names.cookie),
      (cookie, place.path + "/" + ChromiumLock.names.cookie),
    ]
    let isSet = isBound && Glibc.listen(socket, 5) == 0
    if isSet {
      for (target, link) in links {
        unlink(link)
        symlink(target, link)
      }
    } else {
      close(socket)
    }
    return isSet ? (place, socket) : nil
  }

  private static func answer(_ word: String, to connection: Int32) {
    let bytes = Array(word.utf8)
    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    close(connection)
  }

  /// Where a link leads, nil when it is none.
  static func readLink(_ path: String) -> String? {
    var target = [UInt8](repeating: 0, count: 512)
    let count = target.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters -> Int in
        characters.baseAddress.map { readlink(path, $0, characters.count) } ?? -1
      }
    }
    return count > 0 ? String(decoding: target[..<count], as: UTF8.self) : nil
  }
}
