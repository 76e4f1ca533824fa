import CLinux
import Glibc
import Synchronization

/// Ctrl-C and its like: a long piece of work asks `check()` between its batches, or says how it is to be stopped;
/// a second Ctrl-C, or one when nothing is under way, ends the program at once. All state is safe to lose at any time.
final class Interruption: Sendable {
  /// The one of the process.
  static let shared = Interruption()

  private struct State {
    var isRequested = false
    var works = 0
    var stop: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Takes over the signals. Call it before any thread is started: they inherit what is blocked.
  func begin() {
    var signals = Interruption.signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { _ in
        var signals = Interruption.signals
        var number: Int32 = 0
        while sigwait(&signals, &number) == 0 { Interruption.shared.arrived() }
        return nil
      }, nil)
    if started != 0 { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }

  /// Ctrl-C, a polite end, and a terminal that is closed, unless the last is not to matter (`nohup`).
  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    if wherry_ignores(SIGHUP) == 0 { sigaddset(&signals, SIGHUP) }
    return signals
  }

  /// Whether the person wants to stop.
  var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Throws when the person wants to stop.
  func check() throws {
    if isRequested { throw Failure.stopped() }
  }

  /// Runs work that ends by itself soon after `stop` was called, or asks `check()`.
  func during<Result>(stop: (@Sendable () -> Void)? = nil, _ work: () throws -> Result) rethrows -> Result {
    let before = state.withLock { state in
      defer { state.stop = stop ?? state.stop }
      state.works += 1
      return state.stop
    }
    defer {
      state.withLock { state in
        state.works -= 1
        state.stop = before
      }
    }
    return try work()
  }

  private func arrived() {
    let (isFirst, isBusy, stop) = state.withLock { state in
      defer { state.isRequested = true }
      return (!state.isRequested, state.works > 0, state.stop)
    }
    if isFirst, isBusy {
      stop?()
    } else {
      Terminal.restore()
      writeAll(STDERR_FILENO, Array("wherry: Stopped.\n".utf8))
      _exit(ExitCode.stopped.rawValue)
    }
  }
}
