internal import BrowsingData
internal import Merge
internal import SQLite

/// How reading-list items, extensions and cards come into the store: each meets the one with its key.
final class KeyedImport<Item: KeyedRecord> {
  private let context: RecordImport
  private var places: [ContentKey: RecordID] = [:]
  private var keys: [RecordID: ContentKey] = [:]
  private var deletedIDs: Set<RecordID> = []
  private var added: Set<RecordID> = []

  init(_ context: RecordImport) throws {
    self.context = context
    let read = try context.store.statement("SELECT rid, body FROM rec WHERE seq BETWEEN ?1 AND ?2")
    let sequences = ChangeLog(Item.type).sequences
    try read.bind(1, sequences.lowerBound)
    try read.bind(2, sequences.upperBound)
    while try read.step() {
      let id = try read.requiredRecordID(0)
      if let body = read.bytes(1) {
        remember(id, Item(id, try context.store.openedFields(body, Item.type, id)).key)
      } else {
        deletedIDs.insert(id)
      }
    }
  }

  func take(_ original: Item) throws {
    var item = original
    var limits = RecordLimits(Item.type, item.id)
    let fields = item.checked(&limits)
    if !limits.remarks.isEmpty { try context.add(limits.remarks, of: item.id, Item.type) }
    guard let fields else { return }
    if let arrival = context.arrivals[item.id], arrival.outcome != .gone, let local = arrival.local {
      return try merge(item, local, outcome: arrival.outcome)
    }
    if let local = places[item.key] { return try merge(item, local, outcome: nil) }
    try insert(item, fields)
  }

  /// A row that this transfer had brought was deleted by its source.
  func deleted(_ id: RecordID) {
    if let key = keys.removeValue(forKey: id), places[key] == id { places[key] = nil }
    deletedIDs.insert(id)
  }

  private func remember(_ id: RecordID, _ key: ContentKey) {
    places[key] = id
    keys[id] = key
  }

  private func insert(_ item: Item, _ fields: FieldList) throws {
    var id = item.id
    var number = 0
    while try keys[id] != nil || !context.table.insert(Item.type, id, fields, isKnownNew: !deletedIDs.contains(id)) {
      number += 1
      id = ContentHash.another(item.id, number)
    }
    remember(id, item.key)
    added.insert(id)
    try context.note(item.id, Item.type, local: id, outcome: .added)
  }

  private func merge(_ item: Item, _ local: RecordID, outcome: Outcome?) throws {
    guard let row = try context.table.row(local), row.body != nil else {
      // The person has deleted it meanwhile; a transfer does not bring it back.
      return try context.note(item.id, Item.type, local: local, outcome: outcome ?? .unchanged)
    }
    let list = try context.table.fields(row)
    let isOurs = outcome == .added && row.entry == context.run.entry
    // Of two in one file the first is shown; the other may only add to it.
    let rule: MergeRule = isOurs ? .exact : added.contains(local) ? .fill : .update
    let known = Item(local, list)
    let merged = item.merged(over: known, rule)
    let target = rule == .exact ? item.fields : merged.fields
    let changes = RecordImport.changes(from: list, to: target)
    try context.update(row, changes, over: list, isOurs: isOurs || added.contains(local))
    if rule == .exact, known.key != item.key {
      places[known.key] = nil
      remember(local, item.key)
    }
    try context.note(
      item.id, Item.type, local: local,
      outcome: outcome == .added ? .added : changes.isEmpty ? (outcome ?? .unchanged) : .changed)
  }
}
