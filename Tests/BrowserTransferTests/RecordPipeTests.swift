import Foundation
import Testing

@testable import BrowserTransfer

@Suite struct RecordPipeTests {
  @Test func `everything comes out, in order, and never more than its capacity is held`() async throws {
    let pipe = RecordPipe<Int>(capacity: 8)
    let sender = Task {
      for number in 0..<1_000 { try await pipe.send(number) }
      pipe.finish()
    }
    var received: [Int] = []
    while let number = try await pipe.next() { received.append(number) }
    try await sender.value
    #expect(received == Array(0..<1_000))
    #expect(pipe.highest <= 8)
  }

  @Test func `a blocking receiver takes from many senders`() async throws {
    let pipe = RecordPipe<Int>(capacity: 4)
    let received = Task.detached {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var all: [Int] = []
          while let some = try? pipe.takeBlocking(atMost: 3) { all += some }
          continuation.resume(returning: all)
        }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for sender in 0..<5 {
        group.addTask { for number in 0..<100 { try await pipe.send(sender * 100 + number) } }
      }
      try await group.waitForAll()
    }
    pipe.finish()
    #expect(await received.value.sorted() == Array(0..<500))
  }

  @Test func `closing wakes all who wait, with the error`() async throws {
    struct Closed: Error {}
    let full = RecordPipe<Int>(capacity: 1)
    try await full.send(1)
    let sender = Task { try await full.send(2) }
    let empty = RecordPipe<Int>(capacity: 1)
    let receiver = Task { try await empty.next() }
    try await Task.sleep(for: .milliseconds(50))
    for pipe in [full, empty] { pipe.close(Closed()) }
    await #expect(throws: Closed.self) { try await sender.value }
    await #expect(throws: Closed.self) { _ = try await receiver.value }
    #expect(throws: Closed.self) { try full.sendBlocking(3) }
  }

  @Test func `a cancelled sender leaves, and what it held does not come`() async throws {
    let pipe = RecordPipe<Int>(capacity: 1)
    try await pipe.send(1)
    let sender = Task { try await pipe.send(2) }
    try await Task.sleep(for: .milliseconds(50))
    sender.cancel()
    await #expect(throws: CancellationError.self) { try await sender.value }
    pipe.finish()
    #expect(try await pipe.next() == 1)
    #expect(try await pipe.next() == nil)
  }
}
