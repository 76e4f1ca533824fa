import BrowsingData
import Testing
import Wire

@Suite struct ExporterStateMachineTests {
  typealias Machine = ExporterStateMachine
  private let chosen: DataTypes = [.bookmarks, .history]
  private let start: [ChangeLog: Int64] = [.bookmarks: 0, .pages: 0, .visits: 0]

  @Test func `a new session goes from offer to done`() {
    var machine = Machine(granted: nil)
    expect(&machine, .started, [.sendOffer])
    expect(&machine, .chooseReceived(chosen), [.ask(chosen)])
    expect(&machine, .decided(.all), [.sendAccept(chosen)])
    expect(&machine, .resumeReceived([:]), [.load(start)])
    let flight = FlowControl.Flight(log: .bookmarks, last: 7, bytes: 100)
    var sent = start
    sent[.bookmarks] = 7
    expect(&machine, .loaded(flight), [.sendLoaded, .load(sent)])
    let ends: [ChangeLog: LogEnd] = [.bookmarks: LogEnd(cursor: 7, count: 1, digest: .menu)]
    expect(&machine, .exhausted(ends), [])
    expect(&machine, .ackReceived(.bookmarks, last: 7), [.load(sent)])
    expect(&machine, .exhausted(ends), [.sendEnd(ends)])
    expect(&machine, .doneReceived, [.sendDone, .close(.done)])
    #expect(machine.state == .closed(.done))
  }

  @Test func `a known session waits for resume and believes it`() {
    var machine = Machine(granted: .bookmarks)
    expect(&machine, .started, [])
    expect(&machine, .resumeReceived([.bookmarks: 41]), [.load([.bookmarks: 41])])
  }

  @Test func `a known session whose grant was lost on the way grants it again, and no more`() {
    var machine = Machine(granted: .bookmarks)
    _ = machine.handle(.started)
    expect(&machine, .chooseReceived([.bookmarks, .cards]), [.sendAccept(.bookmarks)])
    expect(&machine, .chooseReceived(.bookmarks), [.sendError(.unexpected), .close(.refused(.unexpected))])
  }

  @Test func `a known session that the importer has finished is done`() {
    var machine = Machine(granted: .bookmarks)
    _ = machine.handle(.started)
    expect(&machine, .doneReceived, [.sendDone, .close(.done)])
  }

  @Test func `nothing is loaded while the window is full, and an acknowledgement opens it`() {
    var machine = Machine(granted: .bookmarks)
    _ = machine.handle(.started)
    _ = machine.handle(.resumeReceived([:]))
    for number in 1..<8 {
      let actions = machine.handle(.loaded(.init(log: .bookmarks, last: Int64(number), bytes: 10)))
      #expect(actions == [.sendLoaded, .load([.bookmarks: Int64(number)])])
    }
    expect(&machine, .loaded(.init(log: .bookmarks, last: 8, bytes: 10)), [.sendLoaded])
    expect(&machine, .ackReceived(.bookmarks, last: 1), [.load([.bookmarks: 8])])
  }

  @Test func `the window is two mebibytes, too`() {
    var window = FlowControl()
    window.sent(.init(log: .visits, last: 1, bytes: 2 << 20))
    #expect(!window.hasRoom)
    let wrong = window.acknowledged(log: .visits, last: 2)
    #expect(!wrong)
    let right = window.acknowledged(log: .visits, last: 1)
    #expect(right)
    #expect(window.hasRoom && window.isEmpty)
  }

  @Test func `an acknowledgement of something else closes the connection`() {
    var machine = Machine(granted: .bookmarks)
    _ = machine.handle(.started)
    _ = machine.handle(.resumeReceived([:]))
    expect(&machine, .ackReceived(.bookmarks, last: 1), [.sendError(.unexpected), .close(.refused(.unexpected))])
  }

  @Test func `a resume for a kind that was not granted is refused`() {
    for cursors: [ChangeLog: Int64] in [[.passwords: 0], [.bookmarks: -1]] {
      var machine = Machine(granted: .bookmarks)
      _ = machine.handle(.started)
      expect(&machine, .resumeReceived(cursors), [.sendError(.typeNotGranted), .close(.refused(.typeNotGranted))])
    }
  }

  @Test func `no consent means nothing leaves`() {
    for answer: DataTypes? in [nil, DataTypes([]), .passwords] {
      var machine = Machine(granted: nil)
      _ = machine.handle(.started)
      _ = machine.handle(.chooseReceived(chosen))
      expect(&machine, .decided(answer), [.sendError(.refused), .close(.cancelled)])
    }
  }

  @Test func `consent grants no more than was chosen`() {
    var machine = Machine(granted: nil)
    _ = machine.handle(.started)
    _ = machine.handle(.chooseReceived(.bookmarks))
    expect(&machine, .decided(.all), [.sendAccept(.bookmarks)])
  }

  @Test func `an empty choice is a no`() {
    var machine = Machine(granted: nil)
    _ = machine.handle(.started)
    expect(&machine, .chooseReceived([]), [.close(.cancelledByPeer)])
  }

  /// One of each state, and the messages that it may hear.
  static let cells: [(Machine.State, [String])] = [
    (.ready(granted: nil), []), (.offered, ["choose"]), (.asking(.bookmarks), []),
    (.granted(.bookmarks, mayHearChoose: false), ["resume"]),
    (.granted(.bookmarks, mayHearChoose: true), ["choose", "resume", "done"]),
    (.streaming(.init(granted: .bookmarks, sent: [.bookmarks: 0], window: FlowControl(), isLoading: true)), ["ack"]),
    (.ending(.bookmarks), ["done"]),
  ]
  static let messages: [(String, Machine.Event)] = [
    ("choose", .chooseReceived(.bookmarks)), ("resume", .resumeReceived([:])),
    ("ack", .ackReceived(.bookmarks, last: 1)), ("done", .doneReceived), ("stray", .strayReceived),
  ]

  @Test func `any message out of turn closes the connection`() {
    for (state, allowed) in Self.cells {
      for (name, message) in Self.messages where !allowed.contains(name) {
        let (next, actions) = Machine.transition(from: state, on: message)
        #expect(next == .closed(.refused(.unexpected)), "\(state) on \(name)")
        #expect(actions == [.sendError(.unexpected), .close(.refused(.unexpected))])
      }
    }
  }

  @Test func `cancel, error and loss end every state in their own way`() {
    for (state, _) in Self.cells {
      #expect(Machine.transition(from: state, on: .cancelReceived).0 == .closed(.cancelledByPeer))
      #expect(
        Machine.transition(from: state, on: .cancelled) == (.closed(.cancelled), [.sendCancel, .close(.cancelled)]))
      #expect(Machine.transition(from: state, on: .streamClosed).0 == .closed(.suspended))
      #expect(Machine.transition(from: state, on: .errorReceived(.diskFull, retry: true)).0 == .closed(.suspended))
      #expect(
        Machine.transition(from: state, on: .errorReceived(.gone, retry: false)).0 == .closed(.refusedByPeer(.gone)))
      #expect(Machine.transition(from: state, on: .failed(.storeBusy)).0 == .closed(.suspended))
      #expect(Machine.transition(from: state, on: .failed(.storeCorrupt)).0 == .closed(.refused(.storeCorrupt)))
    }
  }

  @Test func `after the end nothing happens any more`() {
    for (_, message) in Self.messages {
      #expect(Machine.transition(from: .closed(.done), on: message) == (.closed(.done), []))
    }
    #expect(Machine.transition(from: .closed(.done), on: .started) == (.closed(.done), []))
  }

  @Test func `an answer of our own that comes late changes nothing`() {
    let late: [Machine.Event] = [.decided(.all), .loaded(.init(log: .bookmarks, last: 1, bytes: 1)), .exhausted([:])]
    for state in [Machine.State.offered, .granted(.bookmarks, mayHearChoose: true), .ending(.bookmarks)] {
      for event in late { #expect(Machine.transition(from: state, on: event) == (state, [])) }
    }
  }
}

/// A machine that takes events and gives actions.
protocol Handling {
  associatedtype Event
  associatedtype Action: Equatable
  mutating func handle(_ event: Event) -> [Action]
}
extension ExporterStateMachine: Handling {}
extension ImporterStateMachine: Handling {}

func expect<Machine: Handling>(
  _ machine: inout Machine, _ event: Machine.Event, _ actions: [Machine.Action],
  at location: SourceLocation = #_sourceLocation
) {
  let given = machine.handle(event)
  #expect(given == actions, sourceLocation: location)
}

func == <State: Equatable, Action: Equatable>(left: (State, [Action]), right: (State, [Action])) -> Bool {
  left.0 == right.0 && left.1 == right.1
}
