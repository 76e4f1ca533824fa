internal import BrowsingData
internal import Crypto
internal import Foundation

/// Turns what an app yields into records. One thread uses it.
struct OutgoingRecords {
  private let application: Application
  private let types: BrowsingData.DataTypes
  private var positions: [RecordID: Int] = [:]

  /// A record, or why there is none.
  typealias Outcome = Result<Record, Refusal>
  struct Refusal: Error {
    /// nil when nothing is lost.
    var reason: String?
  }

  init(application: Application, types: BrowsingData.DataTypes) {
    self.application = application
    self.types = types
  }

  mutating func record(of data: BrowserData) -> Outcome {
    let application = Application(
      id: data.sourceApplicationBundleIdentifier ?? application.id,
      name: data.sourceApplicationLocalizedName ?? application.name)
    let outcome: Outcome
    switch data {
    case let bookmark as BrowserDataBookmark: outcome = record(of: bookmark, application)
    case let visit as BrowserDataHistoryVisit: outcome = OutgoingRecords.record(of: visit)
    case let item as BrowserDataReadingListItem: outcome = OutgoingRecords.record(of: item, application)
    case let item as BrowserDataExtension: outcome = OutgoingRecords.record(of: item, application)
    case _: return .failure(Refusal(reason: "unknown kind"))
    }
    if case .success(let record) = outcome, !types.contains(record.type) {
      return .failure(Refusal(reason: "kind not chosen"))
    }
    return outcome
  }

  private mutating func record(of data: BrowserDataBookmark, _ application: Application) -> Outcome {
    let parent = data.parentIdentifier.map { folder($0) } ?? .other
    if data.isFolder, data.parentIdentifier == nil, RecordID.root(named: data.identifier) != nil {
      // It is there on every device; only what it holds travels.
      return .failure(Refusal(reason: nil))
    }
    let kind: Bookmark.Kind = data.isFolder ? .folder : .bookmark
    guard kind == .folder || data.address != nil else { return .failure(Refusal(reason: "bookmark without address")) }
    let position = positions[parent] ?? 0
    positions[parent] = position + 1
    var bookmark = Bookmark(
      id: id(data.identifier), kind: kind, parent: parent, position: position, title: data.title,
      url: data.isFolder ? nil : data.address)
    bookmark.guid = data.identifier
    bookmark.application = application
    return .success(.bookmark(bookmark))
  }

  private func folder(_ identifier: String) -> RecordID { RecordID.root(named: identifier) ?? id(identifier) }

  private func id(_ identifier: String) -> RecordID {
    RecordID.hashing(.bookmark(guid: identifier, namespace: application.id))
  }

  private static func record(of data: BrowserDataHistoryVisit) -> Outcome {
    guard let time = Timestamp(data.dateOfLastVisit) else {
      return .failure(Refusal(reason: "date outside of 1970 to 2200"))
    }
    func link(_ url: String?, _ date: Timestamp?) -> HistoryVisit.Link? {
      guard let url, let date else { return nil }
      return HistoryVisit.Link(url: url, visitedAt: date)
    }
    return .success(
      .historyVisit(
        HistoryVisit(
          url: data.address, title: data.title, visitedAt: time, visitCount: max(1, data.visitCount),
          loaded: data.loadedSuccessfully, httpGet: data.httpGet,
          redirectSource: link(
            data.redirectSourceURL?.absoluteString, data.redirectSourceDateOfVisit.flatMap { Timestamp($0) }),
          redirectDestination: link(
            data.redirectDestinationURL?.absoluteString, data.redirectDestinationDateOfVisit.flatMap { Timestamp($0) }))
      ))
  }

  private static func record(of data: BrowserDataReadingListItem, _ application: Application) -> Outcome {
    let id = RecordID.hashing(.readingListItem(url: data.address, profile: nil))
    var item = ReadingListItem(id: id, title: data.title, url: data.address)
    item.lastVisitedAt = data.dateOfLastVisit.flatMap { Timestamp($0) }
    item.application = application
    return .success(.readingListItem(item))
  }

  private static func record(of data: BrowserDataExtension, _ application: Application) -> Outcome {
    let id = RecordID.hashing(.browserExtension(identifier: data.identifier, profile: nil))
    var item = BrowserExtension(id: id, name: data.displayName, identifier: data.identifier)
    item.developer = data.developerName.isEmpty ? nil : data.developerName
    item.storeIdentifier = data.storeIdentifier
    item.application = application
    return .success(.browserExtension(item))
  }
}

extension RecordID {
  /// The root of this name.
  static func root(named name: String) -> RecordID? { roots.first { $0.name == name }?.id }

  fileprivate static func hashing(_ identity: RecordIdentity) -> RecordID {
    RecordID(bytes: Hash.blake2b(identity.bytes, length: 16)) ?? .other
  }
}
