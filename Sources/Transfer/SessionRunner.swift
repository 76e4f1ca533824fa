package import BrowsingData
import Channel
import Crypto
import Foundation
import Store
import Wire

/// What differs between the two roles while a session goes from connection to connection.
protocol SessionSide: AnyObject {
  /// Makes the part for a new connection.
  func part(on contact: Contact) throws(TransferError) -> any SessionPart
  /// What the end of a part means: nil to go on over a new connection.
  func outcome(of closing: Closing, _ part: any SessionPart) throws(TransferError) -> TransferOutcome?
  /// Until when a new connection is awaited.
  var patience: Deadline { get }
  /// The other side has forgotten the transfer: it is over here, too.
  func forget()
  /// What to answer when nobody came until then; nil: that is an error.
  var outcomeWithoutContact: TransferOutcome? { get }
}

/// How a transfer came out.
package struct TransferOutcome: Sendable {
  /// The importer's report; both ends print it.
  package var report: ApplyReport
  /// The transfer's UUID.
  package var token: TransferToken
  /// Whether both ends know that it is complete.
  package var isConfirmed: Bool
  /// At the exporter: how many records the importer skipped, which lists them.
  package var skippedThere: [DataType: Int] = [:]
}

/// Runs a session from its first connection to its end, over as many connections as it takes.
struct SessionRunner {
  let rendezvous: any Rendezvous
  let side: any SessionSide
  let person: any TransferPerson
  let stop: StopSignal
  let waker: Waker

  func run() throws(TransferError) -> TransferOutcome {
    defer {
      rendezvous.close()
      CryptoThread.release()
    }
    // Who has everything already waits for the other's word only, and not for ever.
    var deadline = side.outcomeWithoutContact == nil ? Deadline.never : side.patience
    while true {
      let contact: Contact
      do throws(TransferError) {
        contact = try next(until: deadline)
      } catch {
        if error.code == .interrupted || error.isForgotten, let outcome = side.outcomeWithoutContact { return outcome }
        throw error
      }
      greet(contact)
      let part = try side.part(on: contact)
      let driver = SessionDriver(link: contact.link, part: part, outside: outside)
      switch driver.run() {
      case .stopped: throw .stopped
      case .closed(let closing):
        if let outcome = try side.outcome(of: closing, part) { return outcome }
      }
      if !rendezvous.hasNewerConnection {
        let reason = part.peerError.map { TransferError($0.code, theirs: true).message } ?? "The connection was lost."
        person.hear(.interrupted(reason: reason, retryIn: rendezvous.delay()))
      }
      deadline = side.patience
    }
  }

  private func next(until deadline: Deadline) throws(TransferError) -> Contact {
    do throws(TransferError) {
      return try rendezvous.next(until: deadline)
    } catch {
      // Whoever ends it for good while the connection is lost cannot say so to the other side.
      if error.isForgotten || stop.isCancelled { side.forget() }
      throw error
    }
  }

  private func greet(_ contact: Contact) {
    rendezvous.stood()
    person.hear(token: contact.token)
    person.hear(.connected(contact.device, resumed: contact.isResumed))
    if let words = ClockSkew.warning(contact.clockSkew) { person.hear(.warning(words)) }
  }

  private var outside: SessionDriver.Outside {
    SessionDriver.Outside(
      waker: waker, isStopped: { stop.isStopped }, isCancelled: { stop.isCancelled },
      hasNewerConnection: { rendezvous.hasNewerConnection },
      refuseNewer: { rendezvous.refuseNewer() })
  }
}
