/// A payment card. Holds a secret: never printed whole. Its id is random, since a hash of a number can be searched back.
public struct PaymentCard: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// Its id, given once.
  public var id: RecordID
  /// Digits only.
  public var number: String
  /// What its owner calls it.
  public var name: String?
  /// The name on the card.
  public var holder: String?
  /// 1 to 12.
  public var expirationMonth: Int?
  /// Four digits.
  public var expirationYear: Int?
  /// When it was last used; nil when unknown.
  public var lastUsedAt: Timestamp?
  /// The source's profile; nil for its default one.
  public var profile: String?
  /// The program it came from.
  public var application: Application?
  /// Fields of a newer version, kept and given back.
  public var unknown = UnknownFields()

  /// With what cannot be absent; the rest is set afterwards.
  public init(id: RecordID, number: String) {
    self.id = id
    self.number = number
  }

  /// Whether the number is 12 to 19 digits that pass the Luhn check.
  public var hasValidNumber: Bool {
    let digits = number.utf8.map { $0 &- 48 }
    guard (12...19).contains(digits.count), digits.allSatisfy({ $0 < 10 }) else { return false }
    var sum = 0
    for (index, digit) in digits.reversed().enumerated() {
      let value = index % 2 == 1 ? Int(digit) * 2 : Int(digit)
      sum += value > 9 ? value - 9 : value
    }
    return sum % 10 == 0
  }

  /// A longer text about it.
  public var description: String { "PaymentCard(\(id), •••)" }
  /// The same, without secrets.
  public var debugDescription: String { description }
  /// Only the id: a dump shows no secret.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
