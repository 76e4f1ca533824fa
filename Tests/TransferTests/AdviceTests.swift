import Channel
import Testing
import Wire

@testable import Transfer

/// What a person is told to do.
@Suite struct AdviceTests {
  @Test func `only a transfer is gone on with by resume, and a sync is run again`() {
    for code in [ErrorCode.timeout, .busy, .internalError, .storeBusy, .diskFull, .diskSpace] {
      for theirs in [true, false] {
        let error = TransferError(code, theirs: theirs)
        #expect(error.hint.contains("--resume"))
        #expect(error.of(.sync).hint.hasSuffix("un wherry sync again."))
        #expect(error.of(.pairing).hint.contains("un wherry pair again"))
        #expect(error.of(.sync).message == error.message)
      }
    }
    #expect(TransferError(.diskFull, theirs: true).hint == "Make room there, then go on with --resume.")
    #expect(TransferError(.diskFull, theirs: true).of(.sync).hint == "Make room there. Run wherry sync again.")
    #expect(TransferError.stopped.hint == "Go on with --resume.")
    #expect(TransferError.stopped.of(.sync).hint.isEmpty && TransferError.stopped.of(.pairing).hint.isEmpty)
  }

  @Test func `no advice of a sync speaks of a code or of resuming`() {
    let failures =
      ErrorCode.allCases.map { TransferError($0, theirs: true) } + [
        TransferError(OpeningFailure.lost), TransferError(.refusedByPeer), TransferError(.closedByPeer),
        TransferError(.timedOut),
      ]
    for error in failures {
      // Those are about a code and nothing else.
      if error.code == .wrongCode { continue }
      let hint = error.of(.sync).hint
      #expect(!hint.contains("--resume") && !hint.contains("code") && !hint.contains("wherry send"), "\(hint)")
    }
  }

  @Test func `other words stay as they are`() {
    let error = TransferError(.failed, "It failed.", hint: "Go on with --resume, they say.")
    #expect(error.of(.sync).hint == error.hint)
  }
}
