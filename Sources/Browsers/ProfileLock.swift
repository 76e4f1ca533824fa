internal import Glibc

/// Tells whether a browser has a profile open. Looks only: it takes no lock and creates no file.
enum ProfileLock {
  /// Whether Firefox runs on the profile: it holds a lock on `.parentlock`. The file stays behind after a clean end,
  /// so its existence says nothing.
  static func isFirefoxOpen(_ folder: String) -> Bool {
    let file = open(folder + "/.parentlock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(file, F_GETLK, &lock) == 0 else { return false }
    return lock.l_type != Int16(F_UNLCK)
  }

  /// Whether Chromium runs on the user data folder: `SingletonLock` is a link to `HOST-PID`, gone after a clean end.
  /// One that a crash left behind names a process of this machine that has ended.
  static func isChromiumOpen(_ userData: String) -> Bool {
    guard let text = ChromiumLock.readLink(userData + "/SingletonLock")?.utf8 else { return false }
    guard let dash = text.lastIndex(of: UInt8(ascii: "-")),
      let process = Int32(String(decoding: text[text.index(after: dash)...], as: UTF8.self)), process > 0
    else { return true }
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return true }
    let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    guard host.elementsEqual(text[..<dash]) else { return true }
    return kill(process, 0) == 0 || errno == EPERM
  }
}

/// Firefox's own lock on a profile, held until the last reference goes: meanwhile Firefox says that it is running
/// already instead of opening the profile.
final class HeldFirefoxLock {
  /// An open file description's lock (F_OFD_SETLK): it meets other programs' locks, but closing the file elsewhere in
  /// this process does not end it.
  private static let setLock: Int32 = 37
  private let file: Int32

  /// Takes the lock of a profile's folder; throws `inUse` when the browser has it.
  init(_ folder: String) throws(ProfileError) {
    let path = folder + "/.parentlock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
    guard file >= 0 else { throw ProfileFile.failure(path) }
    self.file = file
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    while fcntl(file, HeldFirefoxLock.setLock, &lock) != 0 {
      if errno == EINTR { continue }
      let isTaken = errno == EAGAIN || errno == EACCES
      throw isTaken ? .inUse("the profile") : ProfileFile.failure(path)
    }
  }

  deinit { close(file) }
}
