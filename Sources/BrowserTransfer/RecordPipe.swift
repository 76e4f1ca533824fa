internal import Foundation

/// A short queue between asynchronous code and the threads of a session: whoever is faster waits.
/// Any number of senders, one receiver. After `close` everybody who waits, or comes, gets the error.
final class RecordPipe<Element: Sendable>: @unchecked Sendable {
  // Reason for @unchecked: every stored property is used under the lock of `condition` only.
  private struct Sender {
    var number: Int
    var element: Element
    var continuation: CheckedContinuation<Void, any Error>
  }

  private let condition = NSCondition()
  private let capacity: Int
  private var buffer: [Element] = []
  private var isFinished = false
  private var failure: (any Error)?
  private var senders: [Sender] = []
  private var receiver: CheckedContinuation<Element?, any Error>?
  private var cancelled: Set<Int> = []
  private var numbers = 0
  private(set) var highest = 0

  init(capacity: Int) { self.capacity = capacity }

  // MARK: - Sending

  /// Puts an element in; suspends while the queue is full.
  func send(_ element: Element) async throws {
    let number = condition.withLock {
      numbers += 1
      return numbers
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<Void, any Error>? = condition.withLock {
          if cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if let failure { return .failure(failure) }
          if buffer.count < capacity {
            put(element)
            return .success(())
          }
          senders.append(Sender(number: number, element: element, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let sender: Sender? = condition.withLock {
        guard let index = senders.firstIndex(where: { $0.number == number }) else {
          cancelled.insert(number)
          return nil
        }
        return senders.remove(at: index)
      }
      sender?.continuation.resume(throwing: CancellationError())
    }
    condition.withLock { _ = cancelled.remove(number) }
  }

  /// Puts an element in; blocks while the queue is full.
  func sendBlocking(_ element: Element) throws {
    try condition.withLock {
      while buffer.count >= capacity, failure == nil { condition.wait() }
      if let failure { throw failure }
      put(element)
    }
  }

  /// Nothing more will be sent; what is in it can still be taken.
  func finish() {
    let waiting: CheckedContinuation<Element?, any Error>? = condition.withLock {
      isFinished = true
      condition.broadcast()
      guard buffer.isEmpty, senders.isEmpty else { return nil }
      defer { receiver = nil }
      return receiver
    }
    waiting?.resume(returning: nil)
  }

  /// Ends it at once: what is in it is lost. Gives whether this was the first to do so.
  @discardableResult
  func close(_ error: any Error) -> Bool {
    let (isFirst, sending, receiving) = condition.withLock {
      let isFirst = failure == nil
      if isFirst { failure = error }
      buffer = []
      defer {
        senders = []
        receiver = nil
        condition.broadcast()
      }
      return (isFirst, senders, receiver)
    }
    for sender in sending { sender.continuation.resume(throwing: error) }
    receiving?.resume(throwing: error)
    return isFirst
  }

  // MARK: - Receiving

  /// The next element, nil at the end; suspends while there is none.
  func next() async throws -> Element? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<Element?, any Error>? = condition.withLock {
          if let failure { return .failure(failure) }
          if let element = take(atMost: 1).first { return .success(element) }
          if isFinished { return .success(nil) }
          if Task.isCancelled { return .failure(CancellationError()) }
          receiver = continuation
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let waiting = condition.withLock {
        defer { receiver = nil }
        return receiver
      }
      waiting?.resume(throwing: CancellationError())
    }
  }

  /// The next elements, nil at the end; blocks while there are none.
  func takeBlocking(atMost count: Int) throws -> [Element]? {
    try condition.withLock {
      while true {
        if let failure { throw failure }
        let taken = take(atMost: count)
        if !taken.isEmpty { return taken }
        if isFinished { return nil }
        condition.wait()
      }
    }
  }

  // MARK: - Under the lock

  private func put(_ element: Element) {
    if let receiver {
      self.receiver = nil
      receiver.resume(returning: element)
      return
    }
    buffer.append(element)
    highest = max(highest, buffer.count)
    condition.broadcast()
  }

  private func take(atMost count: Int) -> [Element] {
    var taken = Array(buffer.prefix(count))
    buffer.removeFirst(taken.count)
    while let sender = senders.first, buffer.count < capacity {
      senders.removeFirst()
      if taken.count < count, buffer.isEmpty { taken.append(sender.element) } else { buffer.append(sender.element) }
      sender.continuation.resume()
    }
    highest = max(highest, buffer.count)
    if !taken.isEmpty { condition.broadcast() }
    return taken
  }
}
