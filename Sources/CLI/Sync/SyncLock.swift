import Glibc
import Store

/// That one sync at a time runs for a home. It goes with the process, however that ends.
final class SyncLock {
  private let descriptor: Int32

  /// Nil when another process has it.
  init?(_ home: Home) throws {
    descriptor = open(home.state + "/sync.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure.system("The home cannot be written", errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
  }

  /// Another process may have it.
  func release() { flock(descriptor, LOCK_UN) }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
