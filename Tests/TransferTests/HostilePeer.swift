import BrowsingData
import Channel
import Crypto
import Foundation
import Testing
import Wire

@testable import Transfer

/// A device that pairs as it should, by the code that a session shows, and then says whatever a test wants.
final class HostilePeer {
  let link: MessageLink

  init(_ session: RunningSession, isExporter: Bool) throws {
    let code = try #require(session.person.code)
    let address = try #require(session.person.addresses?.first.flatMap { Endpoint($0) })
    let identity = try DeviceIdentity.temporary()
    let socket = try Socket.connect(to: address, until: .after(seconds: 10))
    let stream = try SecureStream(socket, context: identity.context(.connector, peers: .anyone))
    link = MessageLink(stream)
    let opening = Opening(
      introduction: Introduction(
        identity: identity, name: "hostile", software: "test", role: isExporter ? .export : .import),
      link: link, waker: nil)
    let key = Opening.Key(pinned: nil, secret: (code.secret, .digits), token: nil) { _, _ in }
    _ = try opening.connect(key)
  }

  /// The next message of this kind; nil when the other side ends the connection, or says nothing for ten seconds.
  @discardableResult
  func hear(_ number: UInt16) throws -> Message? {
    while true {
      switch try link.wait(until: .after(seconds: 10), waker: nil) {
      case .message(let message) where message.number == number: return message
      case .message: continue
      case .closed, .timedOut, .woken: return nil
      }
    }
  }

  /// The error that ends the connection.
  func error() throws -> ErrorCode? {
    guard case .error(let report) = try hear(10) else { return nil }
    return report.code
  }

  func say(_ message: Message) {
    link.send(message)
    try? link.stream.flush(until: .after(seconds: 5))
  }

  func say(_ bytes: [UInt8]) {
    link.stream.write(bytes)
    try? link.stream.flush(until: .after(seconds: 5))
  }

  /// Hangs up without a word.
  func vanish() {
    try? link.stream.flush(until: .after(seconds: 5))
    link.close()
  }
}

extension HostilePeer {
  static let incarnation = [UInt8](repeating: 7, count: 16)

  /// As an exporter of two bookmarks: all that an honest one says until batches flow. Gives the importer's RESUME.
  @discardableResult
  func openAsExporter(granting types: DataTypes = .bookmarks, offering: DataTypes = .bookmarks) throws -> Resume? {
    say(
      .offer(
        Offer(
          incarnation: Self.incarnation, supported: .all,
          items: offering.each.map { Offer.Item(type: $0, count: 2, bytes: 1_000) })))
    try hear(18)
    say(.accept(Grant(types: types, grantsSecrets: false, incarnation: Self.incarnation)))
    guard case .resume(let resume) = try hear(22) else { return nil }
    return resume
  }

  /// A run of bookmarks, well-formed.
  static func batch(_ log: ChangeLog = .bookmarks, first: Int64 = 0, last: Int64 = 1, number: Int64 = 1) -> Message {
    var records: [ChangedRecord] = []
    for sequence in (first + 1)...last {
      let id = RecordID(high: 0xabcd, low: UInt64(sequence))
      let record: Record
      if log == .passwords {
        record = .login(Login(id: id, url: "https://bank.test/", username: "ann", password: "kanari"))
      } else {
        var bookmark = Bookmark(id: id, kind: .bookmark, parent: .menu, position: Int(sequence), title: "\(sequence)")
        bookmark.url = "https://hostile.test/\(sequence)"
        record = .bookmark(bookmark)
      }
      records.append(ChangedRecord(sequence: sequence, change: .present(record)))
    }
    return .batch(
      Batch(number: number, changes: ChangeBatch(log: log, first: first, last: last, content: .records(records))))
  }
}
