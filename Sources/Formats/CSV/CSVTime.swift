internal import BrowsingData

/// Times in password tables: milliseconds since 1970, or ISO 8601.
enum CSVTime {
  /// The time that a value says; nil when it says none.
  static func read(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    let time = bytes.allSatisfy(isDigit) ? Int64(text).flatMap { Timestamp(milliseconds: $0) } : iso(bytes)
    return time.flatMap { $0.isPlausible && $0.microseconds > 0 ? $0 : nil }
  }

  /// `2023-05-06T07:08:09Z`; a blank for the T, a fraction and an offset are taken, too.
  private static func iso(_ bytes: [UInt8]) -> Timestamp? {
    guard bytes.count >= 19, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A,
      bytes[10] == 0x20 || bytes[10] | 0x20 == UInt8(ascii: "t"), let year = number(bytes, 0, 4),
      let month = number(bytes, 5, 2), let day = number(bytes, 8, 2), let hour = number(bytes, 11, 2),
      let minute = number(bytes, 14, 2), let second = number(bytes, 17, 2), 1...12 ~= month, 1...31 ~= day, hour < 24,
      minute < 60, second < 61
    else { return nil }
    var index = 19
    var microseconds: Int64 = 0
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: ",") {
      index += 1
      var unit: Int64 = 100_000
      while index < bytes.count, isDigit(bytes[index]) {
        microseconds += Int64(bytes[index] - 48) * unit
        unit /= 10
        index += 1
      }
    }
    guard let offset = offset(bytes, index) else { return nil }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Timestamp(seconds: seconds).map { Timestamp(microseconds: $0.microseconds + microseconds) }
  }

  /// Seconds east of Greenwich: `Z`, nothing, `+02:00` or `+0200`.
  private static func offset(_ bytes: [UInt8], _ index: Int) -> Int64? {
    let rest = Array(bytes[index...])
    if rest.isEmpty || rest == [UInt8(ascii: "Z")] || rest == [UInt8(ascii: "z")] { return 0 }
    let digits = rest.dropFirst().filter { $0 != 0x3A }
    guard rest[0] == UInt8(ascii: "+") || rest[0] == UInt8(ascii: "-"), digits.count == 4,
      let hours = number(digits, 0, 2), let minutes = number(digits, 2, 2)
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return rest[0] == UInt8(ascii: "-") ? -seconds : seconds
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int64? {
    var value: Int64 = 0
    for byte in bytes[start..<(start + count)] {
      guard isDigit(byte) else { return nil }
      value = value * 10 + Int64(byte - 48)
    }
    return value
  }

  /// Days since 1970-01-01 in the Gregorian calendar (years start in March, so that the leap day is the last one).
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
