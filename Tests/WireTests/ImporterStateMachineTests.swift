import BrowsingData
import Testing
import Wire

@Suite struct ImporterStateMachineTests {
  typealias Machine = ImporterStateMachine

  @Test func `a new session goes from offer to done`() {
    var machine = Machine(before: .nothing)
    expect(&machine, .started, [])
    expect(&machine, .offerReceived([.bookmarks, .cards]), [.ask([.bookmarks, .cards])])
    expect(&machine, .chose([.bookmarks, .history]), [.sendChoose(.bookmarks)])
    expect(&machine, .acceptReceived(.bookmarks), [.prepare(.bookmarks)])
    expect(&machine, .prepared([.bookmarks: 0]), [.sendResume([.bookmarks: 0])])
    expect(&machine, .batchReceived(.bookmarks, first: 0, last: 9), [.apply])
    let ends: [ChangeLog: LogEnd] = [.bookmarks: LogEnd(cursor: 9, count: 3, digest: .menu)]
    expect(&machine, .endReceived(ends), [])
    expect(&machine, .applied(last: 9), [.sendAck(.bookmarks, last: 9), .compare(ends)])
    expect(&machine, .compared(equal: true), [.sendDone])
    expect(&machine, .doneReceived, [.close(.done)])
  }

  @Test func `a known session asks from its own cursors`() {
    var machine = Machine(before: .granted(.bookmarks))
    expect(&machine, .started, [.prepare(.bookmarks)])
    expect(&machine, .prepared([.bookmarks: 12]), [.sendResume([.bookmarks: 12])])
    expect(&machine, .batchReceived(.bookmarks, first: 12, last: 13), [.apply])
  }

  @Test func `a choice that was lost on the way is said again, whether or not an offer comes again`() {
    for offersAgain in [false, true] {
      var machine = Machine(before: .chosen(.bookmarks))
      expect(&machine, .started, [.sendChoose(.bookmarks)])
      if offersAgain {
        expect(&machine, .offerReceived(.all), [])
        #expect(Machine.transition(from: machine.state, on: .offerReceived(.all)).0 == .closed(.refused(.unexpected)))
      }
      expect(&machine, .acceptReceived(.bookmarks), [.prepare(.bookmarks)])
    }
  }

  @Test func `a finished session only says so again`() {
    var machine = Machine(before: .done)
    expect(&machine, .started, [.sendDone])
    expect(&machine, .cancelled, [])
    expect(&machine, .doneReceived, [.close(.done)])
  }

  @Test func `unequal digests suspend the session`() {
    let (next, actions) = Machine.transition(from: .finishing(.bookmarks), on: .compared(equal: false))
    #expect(next == .closed(.suspended))
    #expect(actions == [.sendError(.digest), .close(.suspended)])
  }

  @Test func `a grant beyond the choice is refused`() {
    for granted: DataTypes in [[], .passwords, [.bookmarks, .passwords]] {
      let (next, _) = Machine.transition(from: .chosen(.bookmarks, mayHearOffer: false), on: .acceptReceived(granted))
      #expect(next == .closed(.refused(.typeNotGranted)))
    }
  }

  @Test func `a no of the person is said and ends the session`() {
    for answer: DataTypes? in [nil, DataTypes([]), .cards] {
      let result = Machine.transition(from: .choosing(.bookmarks), on: .chose(answer))
      #expect(result == (.closed(.cancelled), [.sendChoose([]), .close(.cancelled)]))
    }
  }

  private var streaming: Machine.State { .streaming(.init(granted: .bookmarks, received: [.bookmarks: 5])) }

  @Test func `a batch must be granted, start at the cursor and go forward`() {
    #expect(
      Machine.transition(from: streaming, on: .batchReceived(.visits, first: 0, last: 1)).0
        == .closed(.refused(.typeNotGranted)))
    #expect(
      Machine.transition(from: streaming, on: .batchReceived(.bookmarks, first: 4, last: 9)).0 == .closed(.suspended))
    #expect(
      Machine.transition(from: streaming, on: .batchReceived(.bookmarks, first: 5, last: 5)).0
        == .closed(.refused(.malformed)))
    #expect(Machine.transition(from: streaming, on: .batchReceived(.bookmarks, first: 5, last: 6)).1 == [.apply])
  }

  @Test func `a ninth batch before the first is committed breaks the window`() {
    var machine = Machine(before: .granted(.bookmarks))
    _ = machine.handle(.started)
    _ = machine.handle(.prepared([.bookmarks: 0]))
    for number in 0..<8 {
      expect(&machine, .batchReceived(.bookmarks, first: Int64(number), last: Int64(number + 1)), [.apply])
    }
    expect(&machine, .batchReceived(.bookmarks, first: 8, last: 9), [.sendError(.limit), .close(.refused(.limit))])
  }

  @Test func `batches are acknowledged in their order, each with its log`() {
    var machine = Machine(before: .granted([.bookmarks, .readingList]))
    _ = machine.handle(.started)
    _ = machine.handle(.prepared([.bookmarks: 0, .readingList: 0]))
    _ = machine.handle(.batchReceived(.bookmarks, first: 0, last: 2))
    _ = machine.handle(.batchReceived(.readingList, first: 0, last: 3))
    expect(&machine, .applied(last: 2), [.sendAck(.bookmarks, last: 2)])
    expect(&machine, .applied(last: 3), [.sendAck(.readingList, last: 3)])
  }

  @Test func `nothing may follow the end, and it must name every granted log`() {
    var machine = Machine(before: .granted(.bookmarks))
    _ = machine.handle(.started)
    _ = machine.handle(.prepared([.bookmarks: 0]))
    #expect(Machine.transition(from: machine.state, on: .endReceived([:])).0 == .closed(.refused(.unexpected)))
    _ = machine.handle(.batchReceived(.bookmarks, first: 0, last: 2))
    _ = machine.handle(.endReceived([.bookmarks: LogEnd(cursor: 2, count: 1, digest: .menu)]))
    expect(
      &machine, .batchReceived(.bookmarks, first: 2, last: 3),
      [
        .sendError(.unexpected), .close(.refused(.unexpected)),
      ])
  }

  static let cells: [(Machine.State, [String])] = [
    (.ready(.nothing), []), (.awaitingOffer, ["offer"]), (.choosing(.bookmarks), []),
    (.chosen(.bookmarks, mayHearOffer: false), ["accept"]),
    (.preparing(.bookmarks), []),
    (.streaming(.init(granted: .bookmarks, received: [.bookmarks: 0])), ["batch", "end"]),
    (.finishing(.bookmarks), []), (.confirming, ["done"]),
  ]
  static let messages: [(String, Machine.Event)] = [
    ("offer", .offerReceived(.bookmarks)), ("accept", .acceptReceived(.bookmarks)),
    ("batch", .batchReceived(.bookmarks, first: 0, last: 1)), ("end", .endReceived([:])), ("done", .doneReceived),
    ("stray", .strayReceived),
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
      #expect(Machine.transition(from: state, on: .streamClosed).0 == .closed(.suspended))
      #expect(Machine.transition(from: state, on: .errorReceived(.digest, retry: true)).0 == .closed(.suspended))
      #expect(
        Machine.transition(from: state, on: .errorReceived(.gone, retry: false)).0 == .closed(.refusedByPeer(.gone)))
      #expect(
        Machine.transition(from: state, on: .failed(.diskFull)) == (
          .closed(.suspended), [.sendError(.diskFull), .close(.suspended)]
        ))
      if state != .confirming { #expect(Machine.transition(from: state, on: .cancelled).0 == .closed(.cancelled)) }
    }
  }

  @Test func `after the end nothing happens any more`() {
    for (_, message) in Self.messages {
      #expect(Machine.transition(from: .closed(.done), on: message) == (.closed(.done), []))
    }
  }

  @Test func `an answer of our own that comes late changes nothing`() {
    let late: [Machine.Event] = [.chose(.all), .prepared([:]), .applied(last: 1), .compared(equal: true)]
    for state in [Machine.State.awaitingOffer, .chosen(.bookmarks, mayHearOffer: true), .confirming] {
      for event in late { #expect(Machine.transition(from: state, on: event) == (state, [])) }
    }
  }
}
