package import BrowsingData
import Crypto

/// A `PaymentCards.json` of a Safari export as a source. Cards get a random id each time they are read.
package struct SafariPaymentCards: RecordSource {
  private let input: any ByteInput

  private let keys: Set<String> = [
    "card_number", "card_name", "cardholder_name", "card_expiration_month", "card_expiration_year",
    "card_last_used_time_usec",
  ]

  /// The cards of a file.
  package init(input: any ByteInput) { self.input = input }

  package var types: DataTypes { .cards }

  package func counts() throws -> RecordCounts {
    RecordCounts([.cards: try SafariList.count(.paymentCards, input)])
  }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    guard types.contains(.cards) else { return }
    let batch = SafariBatch<PaymentCard>(.cards, RecordBatch.cards)
    try SafariList.read(.paymentCards, input, keys: keys, batch, into: consume) { entry, place, batch in
      if let problem = SafariPaymentCards.problem(entry) {
        batch.remark(.skipped, place.line, "entry \(place.number) \(problem)")
      } else {
        let card = SafariPaymentCards.card(entry) {
          batch.remark(.warning, place.line, "entry \(place.number) \($0)")
        }
        batch.records.append(card)
      }
    }
  }

  private static func problem(_ entry: SafariEntry) -> String? {
    guard entry.isObject else { return "is no object" }
    guard let number = entry.texts["card_number"] else { return "has no card number" }
    return digits(number).isEmpty ? "has an empty card number" : nil
  }

  private static func card(_ entry: SafariEntry, warn: (String) -> Void) -> PaymentCard {
    let id = RecordID(bytes: Random.bytes(16)) ?? RecordID(high: 0, low: 0)
    var card = PaymentCard(id: id, number: digits(entry.texts["card_number"] ?? ""))
    card.name = entry.texts["card_name"]
    card.holder = entry.texts["cardholder_name"]
    /// A number in its range; 0 stands for unknown.
    func number(_ key: String, _ range: ClosedRange<Int64>) -> Int64? {
      guard let number = entry.numbers[key], number != 0 else { return nil }
      if range.contains(number) { return number }
      warn("has a \(key) out of range; it was passed over")
      return nil
    }
    card.expirationMonth = number("card_expiration_month", 1...12).map { Int($0) }
    card.expirationYear = number("card_expiration_year", 1000...9999).map { Int($0) }
    card.lastUsedAt = number("card_last_used_time_usec", 1...(Timestamp.end.microseconds - 1))
      .map { Timestamp(microseconds: $0) }
    if !card.hasValidNumber { warn("has a number that does not pass the check; it was taken all the same") }
    if entry.oddFields > 0 { warn("has values of the wrong kind; they were passed over") }
    return card
  }

  /// The number without blanks and dashes of any kind.
  private static func digits(_ number: String) -> String {
    String(number.filter { !$0.isWhitespace && !"-\u{2010}\u{2011}\u{2012}\u{2013}\u{2212}".contains($0) })
  }
}
