package import Crypto
internal import Glibc

/// This device's key pair and what follows from it. The key is made at the first start and never leaves the device.
package struct DeviceIdentity: Sendable {
  /// The name of the key file in the configuration folder.
  package static let fileName = "identity.key"
  /// The application protocol in TLS (ALPN): carries the version of the framing.
  package static let applicationProtocol = "wherry/1"

  /// What other devices know this one by.
  package let peerID: PeerID
  private let key: PrivateKey
  private let certificate: Certificate

  /// From a key; the certificate is made anew each time, since only its key counts.
  package init(key: PrivateKey) throws(ChannelError) {
    guard let peerID = PeerID(bytes: key.publicKeyHash) else { throw .identityFile(.damaged) }
    certificate = try ChannelError.tls { () throws(CryptoError) in try Certificate.selfSigned(key) }
    self.peerID = peerID
    self.key = key
  }

  /// A new one that is kept nowhere.
  package static func temporary() throws(ChannelError) -> DeviceIdentity {
    try DeviceIdentity(key: ChannelError.tls { () throws(CryptoError) in try PrivateKey.generate() })
  }

  /// The one in a folder (the home's configuration folder), made when there is none. Throws `identityFile`: a file that
  /// others may read is refused, a damaged one is never replaced.
  package static func open(folder: String) throws(ChannelError) -> DeviceIdentity {
    let path = folder + "/" + fileName
    if let pem = try readKey(path) { return try DeviceIdentity(pem: pem) }
    let pem = try ChannelError.tls { () throws(CryptoError) in try PrivateKey.generate().pem() }
    try write(pem, to: path, folder: folder)
    // Another process may have been faster: what lies there now is the key.
    guard let pem = try readKey(path) else { throw .identityFile(.unusable(errno: ENOENT)) }
    return try DeviceIdentity(pem: pem)
  }

  /// Makes another key in place of the one in a folder. Whoever knows the old one no longer knows this device.
  package static func replace(folder: String) throws(ChannelError) -> DeviceIdentity {
    let pem = try ChannelError.tls { () throws(CryptoError) in try PrivateKey.generate().pem() }
    try write(pem, to: folder + "/" + fileName, folder: folder, replacing: true)
    return try DeviceIdentity(pem: pem)
  }

  private init(pem: SecureBytes) throws(ChannelError) {
    let key: PrivateKey
    do throws(CryptoError) { key = try PrivateKey(pem: pem) } catch { throw .identityFile(.damaged) }
    try self.init(key: key)
  }

  /// What TLS needs in a role. Only keys that `peers` knows get through the handshake.
  package func context(_ role: TLSContext.Role, peers: KnownPeers) throws(ChannelError) -> TLSContext {
    try ChannelError.tls { () throws(CryptoError) in
      try TLSContext(
        role, certificate: certificate, key: key, applicationProtocol: DeviceIdentity.applicationProtocol
      ) { peers.accepts($0) }
    }
  }

  // MARK: The file

  private static let longest = 4_096

  private static func readKey(_ path: String) throws(ChannelError) -> SecureBytes? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw .identityFile(.unusable(errno: errno))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .identityFile(.unusable(errno: errno)) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest else { throw .identityFile(.damaged) }
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else { throw .identityFile(.tooOpen) }
    var isWhole = false
    let count = Int(status.st_size)
    let bytes = SecureBytes(count: count) { isWhole = read(descriptor, $0.baseAddress, count) == count }
    guard isWhole else { throw .identityFile(.damaged) }
    return bytes
  }

  /// Writes beside, syncs, then gives the name: only if nobody else has it, unless that is to be replaced.
  private static func write(
    _ bytes: SecureBytes, to path: String, folder: String, replacing: Bool = false
  ) throws(ChannelError) {
    let temporary = path + "." + String(Random.uniform(below: .max), radix: 16)
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .identityFile(.unusable(errno: errno)) }
    defer { unlink(temporary) }
    let isWritten = bytes.withBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
    let isSynced = isWritten && fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
    let failure = errno
    close(descriptor)
    guard isSynced else { throw .identityFile(.unusable(errno: failure)) }
    let isNamed = !replacing && (link(temporary, path) == 0 || errno == EEXIST)
    guard isNamed || rename(temporary, path) == 0 else {
      throw .identityFile(.unusable(errno: errno))
    }
    let parent = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if parent >= 0 {
      fsync(parent)
      close(parent)
    }
  }
}
