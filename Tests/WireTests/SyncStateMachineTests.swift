import BrowsingData
import Testing

@testable import Wire

@Suite struct SyncStateMachineTests {
  typealias Machine = SyncStateMachine
  private static let open = SyncOpening(
    incarnation: .menu, counter: 7, sequence: 9, sends: .bookmarks, takes: .bookmarks)
  private static let theirs = SyncOpening(
    incarnation: .toolbar, counter: 70, sequence: 90, sends: .bookmarks, takes: .bookmarks)
  private static let end = SyncEnd(sequence: 9, heard: 0, digests: [:])
  private static let word = SyncEnd(sequence: 90, heard: 9, digests: [:])
  private static let takes: Set<ChangeLog> = [.bookmarks]
  private let flight = FlowControl.Flight(log: .bookmarks, last: 9, bytes: 100)

  /// A machine that has opened and is loading for the first time.
  private func running(stays: Bool = true) -> Machine {
    var machine = Machine(stays: stays)
    _ = machine.handle(.started)
    _ = machine.handle(.prepared(Self.open))
    _ = machine.handle(.openReceived(Self.theirs))
    _ = machine.handle(.judged(.ready(takes: Self.takes)))
    return machine
  }

  /// The same, with nothing more to send and CAUGHT_UP said.
  private func quiet(stays: Bool = true) -> Machine {
    var machine = running(stays: stays)
    _ = machine.handle(.exhausted(Self.end))
    return machine
  }

  @Test func `both open, send, take and end in step`() {
    var machine = Machine(stays: true)
    expect(&machine, .started, [.prepare])
    expect(&machine, .prepared(Self.open), [.sendOpen(Self.open)])
    expect(&machine, .openReceived(Self.theirs), [.judge(Self.theirs)])
    expect(&machine, .judged(.ready(takes: Self.takes)), [.load])
    expect(&machine, .loaded(flight), [.sendLoaded, .load])
    expect(&machine, .batchReceived(.bookmarks), [.apply])
    expect(&machine, .exhausted(nil), [])
    expect(&machine, .applied(last: 90), [.sendAck(.bookmarks, last: 90), .load])
    expect(&machine, .ackReceived(.bookmarks, last: 9), [])
    expect(&machine, .exhausted(Self.end), [.sendCaughtUp(Self.end)])
    expect(&machine, .caughtUpReceived(Self.word), [.hear(Self.word)])
    #expect(!machine.isInStep)
    expect(&machine, .heard(.settled), [.load])
    expect(&machine, .exhausted(nil), [])
    #expect(machine.isInStep)
  }

  @Test func `a round that does not stay ends when both are in step`() {
    var machine = quiet(stays: false)
    _ = machine.handle(.caughtUpReceived(Self.word))
    expect(&machine, .heard(.settled), [.load])
    expect(&machine, .exhausted(Self.end), [.sendCaughtUp(Self.end), .sendClose, .close(.done)])
    #expect(machine.state == .closed(.done))
  }

  @Test func `the peer may open before our store has answered`() {
    var machine = Machine(stays: true)
    _ = machine.handle(.started)
    expect(&machine, .openReceived(Self.theirs), [])
    expect(&machine, .prepared(Self.open), [.sendOpen(Self.open), .judge(Self.theirs)])
  }

  @Test func `a store that was rolled back opens once more`() {
    var machine = Machine(stays: true)
    _ = machine.handle(.started)
    _ = machine.handle(.prepared(Self.open))
    _ = machine.handle(.openReceived(Self.theirs))
    expect(
      &machine, .judged(.reopen(Self.theirs, takes: Self.takes)), [.sendOpen(Self.theirs), .load])
  }

  @Test func `a peer that was rolled back is waited for`() {
    var machine = Machine(stays: true)
    _ = machine.handle(.started)
    _ = machine.handle(.prepared(Self.open))
    _ = machine.handle(.openReceived(Self.theirs))
    expect(&machine, .judged(.wait), [])
    #expect(machine.state == .opening(stays: true))
    expect(&machine, .batchReceived(.bookmarks), [.sendError(.unexpected), .close(.refused(.unexpected))])
  }

  @Test func `a change of the store is sent at once, one that comes while it loads afterwards`() {
    var machine = quiet()
    expect(&machine, .storeChanged, [.load])
    expect(&machine, .storeChanged, [])
    expect(&machine, .exhausted(nil), [.load])
    expect(&machine, .exhausted(nil), [])
  }

  @Test func `nothing is loaded while the window is full, and an acknowledgement opens it`() {
    var machine = running()
    for number in 1..<8 {
      expect(&machine, .loaded(.init(log: .bookmarks, last: Int64(number), bytes: 10)), [.sendLoaded, .load])
    }
    expect(&machine, .loaded(.init(log: .bookmarks, last: 8, bytes: 10)), [.sendLoaded])
    expect(&machine, .storeChanged, [])
    expect(&machine, .ackReceived(.bookmarks, last: 1), [.load])
  }

  @Test func `an acknowledgement of something else closes the connection`() {
    var machine = running()
    expect(&machine, .ackReceived(.bookmarks, last: 1), [.sendError(.unexpected), .close(.refused(.unexpected))])
  }

  @Test func `a log that does not flow is refused, and so is more than the window`() {
    var machine = running()
    expect(
      &machine, .batchReceived(.passwords), [.sendError(.typeNotGranted), .close(.refused(.typeNotGranted))])
    machine = running()
    for _ in 0..<8 { expect(&machine, .batchReceived(.bookmarks), [.apply]) }
    expect(&machine, .batchReceived(.bookmarks), [.sendError(.limit), .close(.refused(.limit))])
    machine = running()
    for _ in 0..<8 { expect(&machine, .caughtUpReceived(Self.word), [.hear(Self.word)]) }
    expect(&machine, .caughtUpReceived(Self.word), [.sendError(.limit), .close(.refused(.limit))])
  }

  @Test func `a difference is repaired by opening anew`() {
    var machine = quiet()
    _ = machine.handle(.caughtUpReceived(Self.word))
    expect(&machine, .heard(.repair(Self.open)), [.sendOpen(Self.open), .load])
    #expect(!machine.isInStep)
  }

  @Test func `when the peer opens anew, what was loaded for its former place is not sent`() {
    var machine = running()
    expect(&machine, .openReceived(Self.theirs), [.judge(Self.theirs)])
    expect(&machine, .loaded(flight), [])
    expect(&machine, .storeChanged, [])
    expect(&machine, .judged(.ready(takes: Self.takes)), [.load])
    expect(&machine, .openReceived(Self.theirs), [.judge(Self.theirs)])
    expect(&machine, .exhausted(Self.end), [])
    expect(&machine, .openReceived(Self.theirs), [.sendError(.unexpected), .close(.refused(.unexpected))])
  }

  @Test func `a peer that leaves in good order has everything, one that leaves before has not`() {
    var machine = quiet()
    expect(&machine, .closeReceived, [.close(.suspended)])
    machine = quiet()
    _ = machine.handle(.caughtUpReceived(Self.word))
    expect(&machine, .closeReceived, [.close(.done)])
    machine = quiet()
    _ = machine.handle(.caughtUpReceived(Self.word))
    _ = machine.handle(.batchReceived(.bookmarks))
    expect(&machine, .closeReceived, [.close(.suspended)])
  }

  @Test func `forgetting the device tells it, leaving does not`() {
    for stays in [true, false] {
      var machine = running(stays: stays)
      expect(&machine, .forgotten, [.sendUnpair, .close(.cancelled)])
      machine = running(stays: stays)
      expect(&machine, .left, [.sendClose, .close(.suspended)])
    }
  }

  // MARK: Every cell

  private static var judging: Machine.Running {
    var running = Machine.Running(stays: true, takes: takes)
    running.isJudging = true
    return running
  }

  /// One of each state, and the messages that it may hear.
  private static let cells: [(Machine.State, [String])] = [
    (.ready(stays: true), []), (.preparing(stays: true, heard: nil), ["open"]),
    (.preparing(stays: true, heard: theirs), []), (.opening(stays: false), ["open"]), (.judging(stays: true), []),
    (.running(.init(stays: true, takes: takes)), ["open", "batch", "caught up"]),
    (.running(judging), ["batch", "caught up"]),
  ]
  private static let messages: [(String, Machine.Event)] = [
    ("open", .openReceived(theirs)), ("batch", .batchReceived(.bookmarks)), ("caught up", .caughtUpReceived(word)),
    ("ack", .ackReceived(.bookmarks, last: 1)), ("stray", .strayReceived),
  ]

  @Test func `any message out of turn closes the connection, any other does not`() {
    for (state, allowed) in Self.cells {
      for (name, message) in Self.messages {
        let (next, actions) = Machine.transition(from: state, on: message)
        if allowed.contains(name) {
          #expect(!isClosed(next), "\(state) on \(name)")
        } else {
          #expect(next == .closed(.refused(.unexpected)), "\(state) on \(name)")
          #expect(actions == [.sendError(.unexpected), .close(.refused(.unexpected))])
        }
      }
    }
  }

  private func isClosed(_ state: Machine.State) -> Bool {
    if case .closed = state { return true }
    return false
  }

  @Test func `cancel, unpair, close, error and loss end every state in their own way`() {
    for (state, _) in Self.cells {
      func end(_ event: Machine.Event) -> Machine.State { Machine.transition(from: state, on: event).0 }
      #expect(end(.cancelReceived) == .closed(.cancelledByPeer))
      #expect(end(.unpairReceived) == .closed(.refusedByPeer(.revoked)))
      #expect(end(.closeReceived) == .closed(.suspended))
      #expect(end(.streamClosed) == .closed(.suspended))
      #expect(end(.errorReceived(.diskFull, retry: true)) == .closed(.suspended))
      #expect(end(.errorReceived(.clonedIdentity, retry: false)) == .closed(.refusedByPeer(.clonedIdentity)))
      #expect(end(.failed(.storeBusy)) == .closed(.suspended))
      #expect(end(.failed(.clonedIdentity)) == .closed(.refused(.clonedIdentity)))
      #expect(end(.forgotten) == .closed(.cancelled))
      #expect(end(.left) == .closed(.suspended))
    }
  }

  @Test func `after the end nothing happens any more`() {
    for event in Self.messages.map(\.1) + [.started, .storeChanged, .left, .forgotten] {
      #expect(Machine.transition(from: .closed(.done), on: event) == (.closed(.done), []))
    }
  }

  @Test func `an answer of our own that comes late changes nothing`() {
    let late: [Machine.Event] = [
      .loaded(.init(log: .bookmarks, last: 1, bytes: 1)), .exhausted(Self.end), .applied(last: 1), .heard(.settled),
      .storeChanged,
    ]
    for (state, _) in Self.cells.prefix(5) {
      for event in late { #expect(Machine.transition(from: state, on: event) == (state, [])) }
    }
    let running = Machine.State.running(.init(stays: true, takes: Self.takes))
    for event: Machine.Event in [
      .started, .prepared(Self.open), .applied(last: 1), .heard(.settled), .judged(.wait),
    ] {
      #expect(Machine.transition(from: running, on: event) == (running, []))
    }
  }
}

extension SyncStateMachine: Handling {}
