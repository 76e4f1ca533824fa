import BrowsingData
import Channel
import Store
import Synchronization
import Testing
import Wire

@testable import Transfer

@Suite struct ImportWorkerTests {
  private final class Failures: Sendable {
    private let left: Mutex<[StoreError]>
    init(_ errors: [StoreError]) { left = Mutex(errors) }
    func next() -> StoreError { left.withLock { $0.isEmpty ? .corrupt : $0.removeFirst() } }
  }

  @Test func `of several failures the first is told, for the others may only follow from it`() throws {
    let answers = Mailbox<ImportWorker.Answer>(waker: try Waker())
    let failures = Failures([.full, .wrongCursor(.visits), .busy])
    let worker = ImportWorker(
      token: .random(), label: "exporter", peerIncarnation: nil, person: Agreeable(), answers: answers,
      applying: ThreadQueue("test.apply"), preparing: ThreadQueue("test.prepare"), asking: ImmediateQueue(),
      openStore: { throw failures.next() }, freeSpace: { nil }, remember: { _, _, _ in },
      rememberChoice: { _, _, _ in })
    let batch = ChangeBatch(log: .visits, first: 0, last: 1, content: .visits(VisitBatch()))
    for _ in 0..<3 { worker.apply(batch, bytes: 0) }
    worker.settle()
    #expect(worker.fault?.code == .noSpace)
    #expect(codes(answers) == [.diskFull])
    // On the next connection it is tried anew.
    worker.apply(batch, bytes: 0)
    worker.settle()
    #expect(codes(answers) == [.cursor])
  }

  private func codes(_ answers: Mailbox<ImportWorker.Answer>) -> [ErrorCode] {
    answers.take().compactMap { if case .failed(let code, _) = $0 { code } else { nil } }
  }
}
