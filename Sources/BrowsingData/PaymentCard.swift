/// A payment card. Holds a secret: never printed whole. Its id is random, since a hash of a number can be searched back.
public struct PaymentCard: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  public var id: RecordID
  /// Digits only.
  public var number: String
  /// What its owner calls it.
  public var name: String?
  public var holder: String?
  /// 1 to 12.
  public var expirationMonth: Int?
  /// Four digits.
  public var expirationYear: Int?
  public var lastUsedAt: Timestamp?
  public var profile: String?
  public var application: Application?
  public var unknown = UnknownFields()

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

  public var description: String { "PaymentCard(\(id), •••)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
