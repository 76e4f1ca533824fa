internal import BrowsingData
internal import SQLite

/// Edits the cards of Chromium's Web Data. A card's foreign id is its GUID.
struct ChromiumCardEditing {
  private let edited: EditedDatabase
  private let secrets: ChromiumSecrets
  private let now: Int64

  /// In an open Web Data, whose times are seconds since 1970.
  init(_ edited: EditedDatabase, secrets: ChromiumSecrets, now: Timestamp) {
    self.edited = edited
    self.secrets = secrets
    self.now = now.microseconds / 1_000_000
  }

  private static let columns = [
    "guid", "name_on_card", "expiration_month", "expiration_year", "card_number_encrypted", "date_modified",
    "use_count",
    "use_date", "billing_address_id", "nickname", "is_user_confirmed",
  ]

  /// Carries out edits.
  func apply(_ edits: ItemEdits<PaymentCard>) throws -> EditResult {
    let result = EditResult()
    try edited.prepare()
    try edited.run { _ in
      if !edits.insertions.isEmpty {
        let insertion = try RowInsertion(into: "credit_cards", ChromiumCardEditing.columns, of: edited)
        for held in edits.insertions { try insert(held, insertion) }
      }
      for held in edits.updates { try update(held) }
      for id in edits.removals {
        let statement = try edited.database.prepare("DELETE FROM credit_cards WHERE guid = ?1")
        try statement.bind(1, id)
        try statement.run()
        if edited.database.changes > 0 { edited.hasChanged = true }
      }
    }
    return result
  }

  private func insert(_ held: Held<PaymentCard>, _ insertion: RowInsertion) throws {
    let card = held.item
    // Saving counts as the first use.
    let used = card.lastUsedAt.map { $0.microseconds / 1_000_000 }
    try insertion.insert([
      "guid": .text(held.foreignID), "name_on_card": .text(card.holder ?? ""),
      "expiration_month": .number(Int64(card.expirationMonth ?? 0)),
      "expiration_year": .number(Int64(card.expirationYear ?? 0)),
      "card_number_encrypted": .bytes(try sealed(card.number)), "date_modified": .number(now),
      "use_count": .number(used == nil ? 1 : 2), "use_date": .number(used ?? now), "billing_address_id": .text(""),
      "nickname": .text(card.name ?? ""), "is_user_confirmed": .number(1),
    ])
    edited.hasChanged = true
  }

  private func update(_ held: Held<PaymentCard>) throws {
    let card = held.item
    let nickname = edited.has("credit_cards", "nickname")
    let statement = try edited.database.prepare(
      """
      UPDATE credit_cards SET name_on_card = ?2, expiration_month = ?3, expiration_year = ?4, date_modified = ?5
        \(nickname ? ", nickname = ?6" : "")
      WHERE guid = ?1 AND (name_on_card IS NOT ?2 OR expiration_month IS NOT ?3 OR expiration_year IS NOT ?4
        \(nickname ? "OR coalesce(nickname, '') IS NOT ?6" : ""))
      """)
    try statement.bind(1, held.foreignID)
    try statement.bind(2, card.holder ?? "")
    try statement.bind(3, Int64(card.expirationMonth ?? 0))
    try statement.bind(4, Int64(card.expirationYear ?? 0))
    try statement.bind(5, now)
    if nickname { try statement.bind(6, card.name ?? "") }
    try statement.run()
    if edited.database.changes > 0 { edited.hasChanged = true }
    try setNumber(card.number, held.foreignID)
  }

  private func setNumber(_ number: String, _ id: String) throws {
    let old = try edited.database.prepare("SELECT card_number_encrypted FROM credit_cards WHERE guid = ?1")
    try old.bind(1, id)
    guard try old.step(), let text = try? secrets.open(old.bytes(0) ?? []),
      PaymentCard(source: text)?.number != number
    else { return }
    old.reset()
    let statement = try edited.database.prepare(
      "UPDATE credit_cards SET card_number_encrypted = ?2, date_modified = ?3 WHERE guid = ?1")
    try statement.bind(1, id)
    try statement.bind(2, try sealed(number))
    try statement.bind(3, now)
    try statement.run()
    edited.hasChanged = true
  }

  private func sealed(_ text: String) throws -> [UInt8] {
    do { return try secrets.seal(text) } catch { throw ProfileError.secretsLocked(.keyring(secrets.reason(error))) }
  }
}
