package import BrowsingData

/// What a login import plan has decided. The numbers are indices of `LoginImportPlan.locals`.
package enum LoginDecision: Hashable, Sendable {
  /// It is this one.
  case matched(Int)
  /// It says nothing that this one, which has already been met, does not say, or only another password.
  case again(Int)
  /// It is new and is this one now, with this number among equals.
  case added(Int, occurrence: Int)
  /// Its id is taken by something else: to be taken again under another id.
  case idTaken
}

/// Decides how incoming logins meet those that are there: by origin, realm and user, and among several of these first an
/// equal one, then the one with the same id or number. A further one of the same file that differs in the password alone
/// is no login of its own but a conflict.
package struct LoginImportPlan: Sendable {
  /// A login that was there, or was added.
  package struct Local: Sendable {
    /// Its id here.
    package let id: RecordID
    /// Equal for equal origin, realm and user.
    package let key: ContentKey
    /// Tells those apart.
    package fileprivate(set) var occurrence: Int
    var isClaimed = false
    /// Whether it is gone.
    package internal(set) var isDeleted = false
  }

  /// Comparing with more than these nobody needs, and a file of equal rows must not take quadratic time.
  private static let maximumCandidates = 32

  /// All of them, those that were there first.
  package private(set) var locals: [Local] = []
  private var places: [RecordID: Int] = [:]
  private var groups: [ContentKey: Group] = [:]

  /// Those of one origin, realm and user.
  private struct Group: Sendable {
    var members: [Int] = []
    /// All members before it are claimed or gone.
    var firstFree = 0
    var greatestOccurrence = -1
  }

  /// Nothing there yet.
  package init() {}

  /// Tells of one that is there.
  package mutating func addExisting(_ id: RecordID, key: ContentKey, occurrence: Int) {
    append(Local(id: id, key: key, occurrence: occurrence))
  }

  /// Another source begins: all can be matched again.
  package mutating func beginSource() {
    for index in locals.indices { locals[index].isClaimed = false }
    for key in groups.keys { groups[key]?.firstFree = 0 }
  }

  /// The living login with this id.
  package func local(_ id: RecordID) -> Int? {
    guard let place = places[id], !locals[place].isDeleted else { return nil }
    return place
  }

  /// From an earlier run of the same transfer: this one is spoken for.
  package mutating func claim(_ local: Int) { locals[local].isClaimed = true }

  /// It is gone.
  package mutating func delete(_ local: Int) { locals[local].isDeleted = true }

  /// Decides on one. `agreement` compares it with the one of an id; nil when that cannot be read.
  package mutating func take(
    _ id: RecordID, key: ContentKey, occurrence: Int, agreement: (RecordID) throws -> LoginMerge.Agreement?
  ) rethrows -> LoginDecision {
    let (free, met) = candidates(key)
    let own = owner(id, key) ?? free.first { locals[$0].occurrence == occurrence }
    var agreements: [Int: LoginMerge.Agreement] = [:]
    for local in free + met + (own.map { [$0] } ?? []) {
      agreements[local] = try agreement(locals[local].id) ?? .partial
    }
    func first(_ list: [Int], _ wanted: LoginMerge.Agreement) -> Int? { list.first { agreements[$0] == wanted } }

    if let equal = first(free, .whole) { return claimed(equal) }
    if let own, agreements[own] == .allButPassword { return claimed(own) }
    if let equal = first(met, .whole) { return .again(equal) }
    if let own { return claimed(own) }
    if let other = first(met, .allButPassword) { return .again(other) }
    if let other = first(free, .allButPassword) { return claimed(other) }
    guard places[id] == nil else { return .idTaken }
    let next = (groups[key]?.greatestOccurrence ?? -1) + 1
    append(Local(id: id, key: key, occurrence: next == 0 ? 0 : max(next, occurrence), isClaimed: true))
    return .added(locals.count - 1, occurrence: locals[locals.count - 1].occurrence)
  }

  private mutating func claimed(_ local: Int) -> LoginDecision {
    locals[local].isClaimed = true
    return .matched(local)
  }

  /// The unclaimed login with this id.
  private func owner(_ id: RecordID, _ key: ContentKey) -> Int? {
    guard let place = places[id], locals[place].key == key, !locals[place].isClaimed, !locals[place].isDeleted else {
      return nil
    }
    return place
  }

  /// The first unclaimed and the first claimed ones.
  private mutating func candidates(_ key: ContentKey) -> (free: [Int], met: [Int]) {
    guard var group = groups[key] else { return ([], []) }
    func isFree(_ local: Int) -> Bool { !locals[local].isClaimed && !locals[local].isDeleted }
    while group.firstFree < group.members.count, !isFree(group.members[group.firstFree]) { group.firstFree += 1 }
    groups[key]?.firstFree = group.firstFree
    let limit = LoginImportPlan.maximumCandidates
    let free = group.members[group.firstFree...].prefix(8 * limit).filter(isFree).prefix(limit)
    let met = group.members.prefix(2 * limit).filter { locals[$0].isClaimed && !locals[$0].isDeleted }.prefix(limit)
    return (Array(free), Array(met))
  }

  private mutating func append(_ added: Local) {
    var local = added
    local.occurrence = min(max(local.occurrence, 0), Int(Int32.max))
    places[local.id] = locals.count
    groups[local.key, default: Group()].members.append(locals.count)
    let greatest = groups[local.key]?.greatestOccurrence ?? -1
    groups[local.key]?.greatestOccurrence = max(greatest, local.occurrence)
    locals.append(local)
  }
}
