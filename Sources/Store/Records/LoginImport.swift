internal import BrowsingData
internal import Merge
internal import SQLite

/// How logins come into the store: carries out what `LoginImportPlan` decides. No secret that was known is lost.
final class LoginImport {
  private let context: RecordImport
  private var plan = LoginImportPlan()
  private var deletedIDs: Set<RecordID> = []
  /// Of those that were compared and have stayed as they were: a file may hold thousands of one origin and user.
  private var facts: [RecordID: LoginFacts] = [:]
  /// How many other ids were tried in place of one: so many of one origin and user do not try them all again.
  private var tried: [RecordID: Int] = [:]

  init(_ context: RecordImport) throws {
    self.context = context
    let read = try context.store.statement("SELECT rid, body FROM rec WHERE seq BETWEEN ?1 AND ?2")
    let sequences = ChangeLog.passwords.sequences
    try read.bind(1, sequences.lowerBound)
    try read.bind(2, sequences.upperBound)
    while try read.step() {
      let id = try read.requiredRecordID(0)
      guard let body = read.bytes(1) else {
        deletedIDs.insert(id)
        continue
      }
      let login = RecordContent.login(id, try context.store.openedFields(body, .passwords, id))
      plan.addExisting(id, key: ContentHash.of(login), occurrence: login.occurrence)
    }
    for row in context.arrivals.rows.values where row.type == .passwords {
      if let local = row.local.flatMap({ plan.local($0) }) { plan.claim(local) }
    }
  }

  /// Another source begins within the same import.
  func beginSource() {
    plan.beginSource()
    tried = [:]
  }

  /// A row that this transfer had brought was deleted by its source.
  func deleted(_ id: RecordID) {
    deletedIDs.insert(id)
    facts[id] = nil
    if let local = plan.local(id) { plan.delete(local) }
  }

  func take(_ original: Login) throws {
    var login = original
    var limits = RecordLimits(.passwords, login.id)
    let isAllowed = limits.allows(&login)
    if !limits.remarks.isEmpty { try context.add(limits.remarks, of: login.id, .passwords) }
    guard isAllowed else { return }
    if let arrival = context.arrivals[login.id], arrival.outcome != .gone, let local = arrival.local {
      return try merge(login, local, outcome: arrival.outcome)
    }
    let (key, incoming) = (ContentHash.of(login), LoginFacts(login))
    var id = login.id
    var number = 0
    while true {
      let decision = try plan.take(id, key: key, occurrence: login.occurrence) { local in
        try knownFacts(local).map { incoming.agreement(with: $0) }
      }
      switch decision {
      case .matched(let local), .again(let local):
        return try merge(login, plan.locals[local].id, outcome: nil)
      case .added(_, let occurrence):
        login.occurrence = occurrence
        if try context.table.insert(
          .passwords, id, RecordContent.fields(login), isKnownNew: !deletedIDs.contains(id))
        {
          return try context.note(login.id, .passwords, local: id, outcome: .added)
        }
        if let local = plan.local(id) { plan.delete(local) }
      case .idTaken: break
      }
      number = max(number, tried[login.id] ?? 0) + 1
      tried[login.id] = number
      id = ContentHash.another(login.id, number)
    }
  }

  private func known(_ id: RecordID) throws -> (row: RecordRow, list: FieldList, login: Login)? {
    guard let row = try context.table.row(id), row.body != nil else { return nil }
    let list = try context.table.fields(row)
    return (row, list, RecordContent.login(id, list))
  }

  private func knownFacts(_ id: RecordID) throws -> LoginFacts? {
    if let facts = facts[id] { return facts }
    let read = try known(id).map { LoginFacts($0.login) }
    facts[id] = read
    return read
  }

  private func merge(_ login: Login, _ local: RecordID, outcome: Outcome?) throws {
    facts[local] = nil
    guard let known = try known(local) else {
      // The person has deleted it meanwhile; a transfer does not bring it back.
      return try context.note(login.id, .passwords, local: local, outcome: outcome ?? .unchanged)
    }
    let isOurs = outcome == .added && known.row.entry == context.run.entry
    let merged = LoginMerge.merged(login, over: known.login, isOurs ? .exact : .update)
    var conflicts = 0
    for loser in merged.losers where try context.conflicts.add(loser, of: local) { conflicts += 1 }
    let changes = RecordImport.changes(from: known.list, to: RecordContent.fields(merged.login))
    try context.update(known.row, changes, over: known.list, isOurs: true)
    let result: Outcome =
      if outcome == .added {
        .added
      } else if conflicts > 0 || outcome == .conflicting {
        .conflicting
      } else if !changes.isEmpty {
        .changed
      } else {
        outcome ?? .unchanged
      }
    try context.note(login.id, .passwords, local: local, outcome: result)
  }
}

extension RecordLimits {
  /// Whether a login may be taken; times that no record may hold are dropped.
  mutating func allows(_ login: inout Login) -> Bool {
    time(&login.dateCreated, "date_created")
    time(&login.dateLastUsed, "date_last_used")
    time(&login.datePasswordChanged, "date_password_changed")
    return allows(texts: login.urls) && allows(RecordContent.fields(login))
  }
}
