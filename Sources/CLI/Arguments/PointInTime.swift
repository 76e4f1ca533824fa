import BrowsingData
import Glibc

/// A time on the command line: a day, a time of day, or how long ago.
enum PointInTime: ArgumentValue, Equatable {
  /// Microseconds since 1970.
  case absolute(Int64)
  /// Microseconds before now.
  case ago(Int64)

  /// In microseconds since 1970.
  func microseconds(at now: Timestamp) -> Int64 {
    switch self {
    case .absolute(let time): time
    case .ago(let age): now.microseconds &- age
    }
  }

  static func read(_ text: String, of name: String) throws(UsageError) -> PointInTime {
    if let age = age(text) { return .ago(age) }
    if let time = absolute(text) { return .absolute(time) }
    throw UsageError(
      "\(name) needs a time, not \(quoted(text)).", hint: "For example 2025-05-16, 2025-05-16T18:03, 2h or 7d.")
  }

  private static func age(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    guard let last = text.last, let unit = units[last], let count = Int64(text.dropLast()), count >= 0 else {
      return nil
    }
    let (age, isTooLong) = count.multipliedReportingOverflow(by: unit * 1_000_000)
    return isTooLong ? nil : age
  }

  /// Microseconds as in `--json`, or a day or time of this time zone.
  private static func absolute(_ text: String) -> Int64? {
    if text.utf8.count >= 12, let time = Int64(text), time >= 0 { return time }
    let halves = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    guard halves.count <= 2, let day = numbers(halves[0], "-", counts: [3]) else { return nil }
    var clock = [0, 0, 0]
    if halves.count == 2 {
      guard let found = numbers(halves[1], ":", counts: [2, 3]) else { return nil }
      clock.replaceSubrange(0..<found.count, with: found)
    }
    guard (1970...2199).contains(day[0]), (1...12).contains(day[1]), (1...31).contains(day[2]), clock[0] < 24,
      clock[1] < 60, clock[2] < 60
    else { return nil }
    var parts = tm()
    parts.tm_year = Int32(day[0] - 1900)
    parts.tm_mon = Int32(day[1] - 1)
    parts.tm_mday = Int32(day[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(clock[0]), Int32(clock[1]), Int32(clock[2]))
    parts.tm_isdst = -1
    let seconds = mktime(&parts)
    return seconds < 0 ? nil : Int64(seconds) * 1_000_000
  }

  private static func numbers(_ text: Substring, _ separator: Character, counts: Set<Int>) -> [Int]? {
    let words = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = words.compactMap { $0.utf8.count <= 4 ? Int($0) : nil }
    return numbers.count == words.count && counts.contains(words.count) && numbers.allSatisfy { $0 >= 0 }
      ? numbers : nil
  }
}
