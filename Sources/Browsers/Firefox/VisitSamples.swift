/// The newest ten visits of many pages: when, how each ranks, and whether it is listed. 50 bytes a page.
struct VisitSamples {
  private static let size = PlacesFrecency.sampled
  private static let empty: UInt32 = .max
  /// Seconds since 1970; ranks are days.
  private var times: [UInt32] = []
  private var weights: [UInt8] = []
  private var hidden: [UInt16] = []

  /// Room for another page; its number.
  mutating func append() -> Int {
    times.append(contentsOf: repeatElement(VisitSamples.empty, count: VisitSamples.size))
    weights.append(contentsOf: repeatElement(0, count: VisitSamples.size))
    hidden.append(0)
    return hidden.count - 1
  }

  /// Adds a visit in the place of the oldest one.
  mutating func add(_ page: Int, time: Int64, weight: PlacesFrecency.Weight, isHidden: Bool) {
    let seconds = VisitSamples.seconds(time)
    let start = page * VisitSamples.size
    var place = 0
    for index in 0..<VisitSamples.size {
      if times[start + index] == VisitSamples.empty {
        place = index
        break
      }
      if times[start + index] < times[start + place] { place = index }
    }
    guard times[start + place] == VisitSamples.empty || times[start + place] <= seconds else { return }
    times[start + place] = seconds
    weights[start + place] = weight.rawValue
    if isHidden { hidden[page] |= 1 << UInt16(place) } else { hidden[page] &= ~(1 << UInt16(place)) }
  }

  /// The visit at this time redirected. True when it was listed until now.
  mutating func noteRedirect(_ page: Int, time: Int64) -> Bool {
    let seconds = VisitSamples.seconds(time)
    let start = page * VisitSamples.size
    let redirect = PlacesFrecency.Weight.redirectSource.rawValue
    for index in 0..<VisitSamples.size
    where times[start + index] == seconds && weights[start + index] != redirect {
      weights[start + index] = redirect
      let bit: UInt16 = 1 << UInt16(index)
      defer { hidden[page] |= bit }
      return hidden[page] & bit == 0
    }
    return false
  }

  /// The visits of a page.
  func newest(_ page: Int) -> [(time: Int64, weight: PlacesFrecency.Weight)] {
    let start = page * VisitSamples.size
    return (start..<(start + VisitSamples.size)).compactMap { index in
      guard times[index] != VisitSamples.empty else { return nil }
      return (Int64(times[index]) * 1_000_000, PlacesFrecency.Weight(rawValue: weights[index]) ?? .none)
    }
  }

  private static func seconds(_ time: Int64) -> UInt32 { UInt32(clamping: min(time / 1_000_000, Int64(empty) - 1)) }
}
