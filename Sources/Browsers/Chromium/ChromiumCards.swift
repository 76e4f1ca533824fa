internal import BrowsingData

/// Reads the cards of Chromium's Web Data: those that are stored on this device, with their number.
struct ChromiumCards {
  let secrets: ChromiumSecrets
  let profile: String?
  let application: Application

  /// How many there are; nothing is decrypted.
  static func count(_ folder: ProfileFolder) throws(ProfileError) -> Int {
    guard let database = try ChromiumSchema.open(ChromiumSchema.webData, in: folder) else { return 0 }
    return Int(try database.number("SELECT count(*) FROM credit_cards"))
  }

  /// One encrypted number under the keyring's secret; nil when there is none.
  static func sample(_ folder: ProfileFolder) throws(ProfileError) -> [UInt8]? {
    guard let database = try ChromiumSchema.open(ChromiumSchema.webData, in: folder) else { return nil }
    let rows = try database.rows("SELECT card_number_encrypted FROM credit_cards")
    while try rows.next() {
      if let sealed = rows.bytes(0), ChromiumSecrets.needsKeyring(sealed) { return sealed }
    }
    return nil
  }

  /// Hands over every card that opens, and a remark for each that does not.
  func read(_ folder: ProfileFolder, into consume: (RecordBatch) throws -> Void) throws {
    var remarks: [Remark] = []
    let cards = try held(folder, &remarks).map(\.item)
    if !cards.isEmpty { try consume(.cards(cards)) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
  }

  /// Every card that opens, with its GUID. Throws when the keyring locks one.
  func held(_ folder: ProfileFolder) throws -> [Held<PaymentCard>] {
    var remarks: [Remark] = []
    let cards = try held(folder, &remarks)
    if remarks.contains(where: { $0.kind == .skipped && $0.reason == secrets.reason(.keyMissing) }) {
      throw ProfileError.secretsLocked(.keyring(secrets.reason(.keyMissing)))
    }
    return cards
  }

  private func held(_ folder: ProfileFolder, _ remarks: inout [Remark]) throws(ProfileError) -> [Held<PaymentCard>] {
    guard let database = try ChromiumSchema.open(ChromiumSchema.webData, in: folder) else { return [] }
    let nickname = database.has("credit_cards", ["nickname"]) ? "nickname" : "NULL"
    let count = database.has("credit_cards", ["use_count"]) ? "use_count" : "2"
    let rows = try database.rows(
      """
      SELECT guid, name_on_card, expiration_month, expiration_year, card_number_encrypted, use_date, \(count),
        \(nickname) FROM credit_cards ORDER BY rowid
      """)
    var cards: [Held<PaymentCard>] = []
    while try rows.next() {
      let guid = rows.text(0) ?? ""
      do throws(SecretFailure) {
        let card = try card(rows)
        cards.append(Held(guid, card))
        if !card.hasValidNumber {
          remarks.append(Remark(.warning, type: .cards, place: .id(guid), reason: PaymentCard.doubtfulNumber))
        }
      } catch {
        remarks.append(Remark(.skipped, type: .cards, place: .id(guid), reason: secrets.reason(error)))
      }
    }
    try database.verify()
    return cards
  }

  private func card(_ rows: ProfileRows) throws(SecretFailure) -> PaymentCard {
    let number = try secrets.open(rows.bytes(4) ?? [])
    guard var card = PaymentCard(source: number) else { throw .malformed }
    card.holder = rows.text(1).flatMap { $0.isEmpty ? nil : $0 }
    card.expirationMonth = (1...12).contains(rows.int64(2)) ? Int(rows.int64(2)) : nil
    card.expirationYear = (1_000...9_999).contains(rows.int64(3)) ? Int(rows.int64(3)) : nil
    // Seconds since 1970. Saving counts as the first use, which was none.
    if rows.int64(6) > 1, rows.int64(5) > 0, let time = Timestamp(seconds: rows.int64(5)), time.isPlausible {
      card.lastUsedAt = time
    }
    card.name = rows.text(7).flatMap { $0.isEmpty ? nil : $0 }
    card.profile = profile
    card.application = application
    return card
  }
}
