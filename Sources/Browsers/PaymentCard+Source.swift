internal import BrowsingData
internal import Crypto

extension PaymentCard {
  /// The words of a remark on a card that was taken although its number cannot be right.
  static let doubtfulNumber = "its number has a wrong check digit or length"

  /// From a number as a browser holds it, spaces and hyphens allowed; nil when there are other characters or none.
  /// The id is random.
  init?(source text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }), let id = RecordID(bytes: Random.bytes(16))
    else { return nil }
    self.init(id: id, number: String(decoding: digits, as: UTF8.self))
  }
}
