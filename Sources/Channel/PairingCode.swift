package import Crypto

/// The ten digits that one person reads and the other types: two door digits (public, they only help to find the listener),
/// seven secret ones, and a check digit that finds every mistyped digit and every swap of neighbours.
package struct PairingCode: Equatable, Sendable {
  /// Why a text is no code.
  package enum Fault: Error, Equatable, Sendable {
    /// Not ten digits, or something else than digits and separators.
    case notTenDigits
    /// Mistyped: the check digit does not fit.
    case checkDigit
  }

  /// All ten digits as ASCII: what the key exchange calls PRS.
  package let secret: SecureBytes
  /// The two public digits, 0 to 99.
  package let door: UInt8

  private init(digits: [UInt8]) {
    door = digits[0] * 10 + digits[1]
    secret = SecureBytes(digits.map { $0 + 48 })
  }

  /// From what a person typed: ten digits with any separators (space, hyphen, dot, comma, slash, underscore and the like).
  package init(_ text: String) throws(Fault) {
    var digits: [UInt8] = []
    for character in text {
      if let digit = character.wholeNumberValue, character.isNumber, digit < 10 {
        digits.append(UInt8(digit))
      } else if character.isLetter || character.isNumber {
        throw .notTenDigits
      }
      if digits.count > 10 { throw .notTenDigits }
    }
    guard digits.count == 10 else { throw .notTenDigits }
    guard PairingCode.check(digits) == 0 else { throw .checkDigit }
    self.init(digits: digits)
  }

  /// A new one with these door digits.
  package static func random(door: UInt8) -> PairingCode {
    precondition(door < 100, "two door digits")
    var digits = [door / 10, door % 10]
    for _ in 0..<7 { digits.append(UInt8(truncatingIfNeeded: Random.uniform(below: 10))) }
    digits.append(check(digits))
    return PairingCode(digits: digits)
  }

  /// Door digits that nobody in `taken` has, when any are left.
  package static func randomDoor(avoiding taken: Set<UInt8>) -> UInt8 {
    let free = (0..<100).map { UInt8($0) }.filter { !taken.contains($0) }
    let choice = free.isEmpty ? (0..<100).map { UInt8($0) } : free
    return choice[Int(Random.uniform(below: UInt32(choice.count)))]
  }

  /// As it is shown to people: `48 219 365 74`. Nothing else may print it.
  package var shown: String {
    let text = String(decoding: secret.unprotectedCopy, as: UTF8.self)
    var result = ""
    for (index, digit) in text.enumerated() {
      if [2, 5, 8].contains(index) { result += " " }
      result.append(digit)
    }
    return result
  }

  /// Damm's check digit of digits; 0 when its own check digit is among them and fits.
  private static func check(_ digits: [UInt8]) -> UInt8 {
    digits.reduce(0) { damm[Int($0)][Int($1)] }
  }
}

extension PairingCode: CustomStringConvertible, CustomReflectable {
  /// Never the digits.
  package var description: String { "•••" }
  /// Shows nothing to `dump`.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A totally anti-symmetric quasigroup of order 10 (H. M. Damm, 2004).
private let damm: [[UInt8]] = [
  [0, 3, 1, 7, 5, 9, 8, 6, 4, 2], [7, 0, 9, 2, 1, 5, 4, 8, 6, 3], [4, 2, 0, 6, 8, 7, 1, 3, 5, 9],
  [1, 7, 5, 0, 9, 8, 3, 4, 2, 6], [6, 1, 2, 3, 0, 4, 5, 9, 7, 8], [3, 6, 7, 4, 2, 0, 9, 5, 8, 1],
  [5, 8, 6, 9, 7, 2, 0, 1, 3, 4], [8, 9, 4, 5, 3, 6, 2, 0, 1, 7], [9, 4, 3, 8, 6, 1, 7, 2, 0, 5],
  [2, 5, 8, 1, 4, 3, 6, 7, 9, 0],
]
