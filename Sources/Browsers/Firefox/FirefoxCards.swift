internal import BrowsingData
internal import Crypto

/// Reads the payment cards of autofill-profiles.json.
struct FirefoxCards {
  static let file = "autofill-profiles.json"

  let keys: FirefoxKeys
  let profile: String?
  let application: Application

  /// How many there are; nothing is decrypted.
  static func count(_ profile: String) throws(ProfileError) -> Int { try entries(profile).count }

  private static func entries(_ profile: String) throws(ProfileError) -> [JSONValue] {
    let document = try JSONValue.read(profile + "/" + file)
    return (document?["creditCards"]?.elements ?? []).filter { $0["deleted"]?.bool != true }
  }

  /// Hands over every card that opens, and a remark for each that does not.
  func read(_ folder: String, into consume: (RecordBatch) throws -> Void) throws {
    var cards: [PaymentCard] = []
    var remarks: [Remark] = []
    for entry in try FirefoxCards.entries(folder) {
      let place = entry["guid"]?.nonEmptyString.map { Remark.Place.id($0) } ?? .none
      do {
        let card = try card(entry)
        cards.append(card)
        if !card.hasValidNumber {
          remarks.append(Remark(.warning, type: .cards, place: place, reason: PaymentCard.doubtfulNumber))
        }
      } catch .keyMissing {
        let reason =
          keys.wrapping == nil
          ? SecretFailure.keyMissing.reason : "its key is in the desktop's keyring, not in the profile"
        remarks.append(Remark(.skipped, type: .cards, place: place, reason: reason))
      } catch {
        remarks.append(Remark(.skipped, type: .cards, place: place, reason: error.reason))
      }
    }
    if !cards.isEmpty { try consume(.cards(cards)) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
  }

  func card(_ entry: JSONValue) throws(SecretFailure) -> PaymentCard {
    guard let sealed = entry["cc-number-encrypted"]?.nonEmptyString else { throw .malformed }
    guard var card = PaymentCard(source: try keys.openCardNumber(sealed)) else { throw .malformed }
    card.holder = entry["cc-name"]?.nonEmptyString
    card.expirationMonth = entry["cc-exp-month"]?.integer.flatMap { (1...12).contains($0) ? Int($0) : nil }
    card.expirationYear = entry["cc-exp-year"]?.integer.flatMap { (1_000...9_999).contains($0) ? Int($0) : nil }
    card.lastUsedAt = entry["timeLastUsed"]?.time
    card.profile = profile
    card.application = application
    return card
  }
}
