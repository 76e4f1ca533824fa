package import BrowsingData

/// Writes a Safari export: a ZIP with a member for each kind that has records, and for each profile where Safari has them.
/// Records go to nameless files beside the archive, which is packed and appears in one step at the end.
package struct SafariArchiveSink: RecordSink {
  private let file: AtomicFile?
  private let metadata: SafariMetadata
  private let wanted: DataTypes
  private var members: [(name: String, part: TemporaryFile)] = []
  private var lists: [List] = []
  private var current = 0
  private var bookmarks: NetscapeBookmarkSink?
  private var logins: LoginCSVSink?
  private var losses = LossCounter()
  private var transitions = 0
  private var referrers = 0
  private var hidden = 0

  /// A JSON member that is being written.
  private struct List {
    let kind: SafariKind
    let profile: String?
    var writer: SafariListWriter
  }

  package let types: DataTypes = .all

  /// Into a file, or, without one, nowhere: only the losses are counted then. `wanted`: the kinds that were asked for;
  /// an archive without records holds a member of one of them.
  package init(_ file: AtomicFile?, metadata: SafariMetadata, wanted: DataTypes = .all) {
    self.file = file
    self.metadata = metadata
    self.wanted = wanted
  }

  package mutating func write(_ batch: RecordBatch) throws {
    switch batch {
    case .bookmarks(let records) where records.isEmpty: break
    case .readingList(let items) where items.isEmpty: break
    case .logins(let logins) where logins.isEmpty: break
    case .bookmarks, .readingList:
      if bookmarks == nil { bookmarks = NetscapeBookmarkSink(try member("Bookmarks.html"), flavor: .safari) }
      try bookmarks?.write(batch)
    case .extensions(let records):
      for record in records { try write(record) }
    case .logins:
      if logins == nil { logins = LoginCSVSink(try member("Passwords.csv"), dialect: .safari) }
      try logins?.write(batch)
    case .cards(let cards):
      for card in cards {
        try select(.paymentCards, nil)
        try lists[current].writer.write(card)
      }
    case .history(let visits):
      for visit in visits {
        try select(.history, visit.profile)
        try lists[current].writer.write(visit)
        count(visit)
      }
    case .pages, .visits: preconditionFailure("a file takes history as .history")
    case .remarks: break
    }
  }

  package mutating func finish() throws -> [Loss] {
    do {
      if lists.isEmpty, bookmarks == nil, logins == nil { try addEmptyMember() }
      let lossesOfText = try (bookmarks?.finish() ?? []) + (logins?.finish() ?? [])
      for list in lists { try list.writer.finish() }
      if let file {
        let archive = try ZIPWriter(try file.descriptor())
        for member in members { try archive.add(member.part, name: member.name) }
        try archive.finish()
        try file.finish()
      }
      sumUp()
      return lossesOfText + losses.losses
    } catch {
      abandon()
      throw error
    }
  }

  package mutating func abandon() {
    members = []
    lists = []
    bookmarks = nil
    logins = nil
    file?.abandon()
  }

  // MARK: Members

  /// There is no archive of no members.
  private mutating func addEmptyMember() throws {
    if wanted.contains(.bookmarks) || wanted.contains(.readingList) || wanted.isEmpty {
      bookmarks = NetscapeBookmarkSink(try member("Bookmarks.html"), flavor: .safari)
    } else if wanted.contains(.passwords) {
      logins = LoginCSVSink(try member("Passwords.csv"), dialect: .safari)
    } else {
      let kind: SafariKind =
        wanted.contains(.history) ? .history : wanted.contains(.cards) ? .paymentCards : .extensions
      try select(kind, nil)
    }
  }

  private mutating func member(_ name: String) throws(FormatError) -> any ByteOutput {
    guard let file else { return NullOutput() }
    var unused = name
    var number = 1
    while members.contains(where: { $0.name == unused }) {
      number += 1
      unused = "\(number) \(name)"
    }
    let part = try TemporaryFile(in: file.folder)
    members.append((unused, part))
    return part
  }

  /// Makes the list of a kind and profile the current one.
  @inline(__always)
  private mutating func select(_ kind: SafariKind, _ profile: String?) throws(FormatError) {
    if current < lists.count, lists[current].kind == kind, lists[current].profile == profile { return }
    try find(kind, profile)
  }

  private mutating func find(_ kind: SafariKind, _ profile: String?) throws(FormatError) {
    if let index = lists.firstIndex(where: { $0.kind == kind && $0.profile == profile }) {
      current = index
      return
    }
    let name = SafariFileNames.member(kind.fileName, profile: profile, suffix: "json")
    let writer = try SafariListWriter(kind, try member(name), metadata)
    lists.append(List(kind: kind, profile: profile, writer: writer))
    current = lists.count - 1
  }

  // MARK: Losses

  private mutating func write(_ record: BrowserExtension) throws {
    try select(.extensions, record.profile)
    try lists[current].writer.write(record)
    if record.storeIdentifier != nil, !SafariListWriter.isApple(record) {
      losses.add(.extensions, "store_identifier", why: "Safari's export names only Apple's own store")
    }
    if record.version != nil { losses.add(.extensions, "version", why: "Safari's export has no versions") }
    if record.homepage != nil { losses.add(.extensions, "homepage", why: "Safari's export has no home pages") }
    if record.enabled == false {
      losses.add(.extensions, "enabled", why: "Safari's export lists only extensions that are switched on")
    }
    countProfile(record.profile, .extensions)
  }

  /// Plain numbers: a million visits pass here.
  @inline(__always)
  private mutating func count(_ visit: HistoryVisit) {
    if visit.transition != nil { transitions += 1 }
    if visit.referrer != nil { referrers += 1 }
    if visit.hidden { hidden += 1 }
    if visit.profile != nil { countProfile(visit.profile, .history) }
  }

  private mutating func sumUp() {
    let noTransition = "Safari's export does not say how a page was reached"
    losses.add(.history, "transition", why: noTransition, count: transitions)
    losses.add(.history, "referrer", why: "Safari's export has no referrers", count: referrers)
    losses.add(.history, "hidden", why: "Safari's export shows every visit", count: hidden)
  }

  private mutating func countProfile(_ profile: String?, _ type: DataType) {
    guard let profile, !SafariFileNames.keeps(profile: profile) else { return }
    losses.add(type, "profile", why: "the profile's name cannot be part of a file name as it stands")
  }
}
