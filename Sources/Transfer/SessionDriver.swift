import Channel
import Wire

/// The one loop of a session: messages in, frames out, workers' answers in between. Runs on the session's own thread
/// until the part on this connection is over.
struct SessionDriver {
  /// What ends or disturbs a session from outside of its connection.
  struct Outside {
    /// Wakes the loop.
    var waker: Waker
    /// Whether the person here stops the program; the transfer stays open.
    var isStopped: () -> Bool
    /// Whether the person here ends the transfer for both.
    var isCancelled: () -> Bool
    /// Whether the same peer stands at the door with a newer connection.
    var hasNewerConnection: () -> Bool
    /// The older connection lives: the newer one is sent away.
    var refuseNewer: () -> Void
  }

  /// How the loop ended.
  enum Ending: Equatable {
    case closed(Closing)
    /// The person here stopped the program.
    case stopped
  }

  let link: MessageLink
  let part: any SessionPart
  let outside: Outside

  /// Drives the part to its end on this connection.
  func run() -> Ending {
    part.start()
    var silence = Silence()
    while true {
      do throws(WireError) {
        for frame in part.takeFrames() { link.send(frame: frame) }
        if let closing = part.closing { return finish(.closed(closing)) }
        silence.watch(person: part.isWaitingForPerson)
        switch try link.wait(until: silence.next, waker: outside.waker) {
        case .message(let message):
          silence.broken()
          if silence.isProving {
            silence.proved()
            outside.refuseNewer()
          }
          receive(message)
        case .woken:
          if outside.isCancelled() {
            part.cancel()
            continue
          }
          if outside.isStopped() {
            link.send(.close(nil))
            return finish(.stopped)
          }
          if outside.hasNewerConnection(), !silence.isProving {
            silence.prove()
            link.send(.ping(Silence.pingBytes))
          }
          part.collect()
        case .timedOut:
          switch silence.verdict() {
          case .wait: continue
          case .ping: link.send(.ping(Silence.pingBytes))
          case .personIsLate: throw WireError.misbehaved(.timeout)
          case .dead: part.lose()
          }
        case .closed:
          part.lose()
        }
      } catch {
        link.send(.error(ErrorReport(error.code)))
        return finish(.closed(error.code.isRetryable ? .suspended : .refused(error.code)))
      }
    }
  }

  private func receive(_ message: Message) {
    switch message {
    case .ping(let bytes): link.send(.pong(bytes))
    case .pong: return
    case .hello, .pairShare, .pairConfirm, .info, .paired, .error, .close, .offer, .choose, .accept, .resume, .batch,
      .syncBatch,
      .acknowledge, .end, .done, .cancel, .syncOpen, .caughtUp, .unpair, .unknown:
      part.receive(message)
    }
  }

  private func finish(_ ending: Ending) -> Ending {
    link.close()
    return ending
  }
}
