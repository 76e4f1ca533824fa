/// The newest ten visits of many pages: when, how each ranks, and whether it is listed. 50 bytes a page.
struct VisitSamples {
  private static let size = PlacesFrecency.sampled
  private static let empty: UInt32 = .max
  /// Seconds since 1970; ranks are days.
  private var times: [UInt32] = []
  private var weights: [UInt8] = []
  private var hidden: [UInt16] = []
  /// Visits of which nothing is known but that they were: whether they are listed follows from redirects.
  private var unknown: [UInt16] = []

  /// Room for another page; its number.
  mutating func append() -> Int {
    times.append(contentsOf: repeatElement(VisitSamples.empty, count: VisitSamples.size))
    weights.append(contentsOf: repeatElement(0, count: VisitSamples.size))
    hidden.append(0)
    unknown.append(0)
    return hidden.count - 1
  }

  /// Adds a visit in the place of the oldest one.
  mutating func add(_ page: Int, time: Int64, weight: PlacesFrecency.Weight, isHidden: Bool, isUnknown: Bool) {
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
    let bit: UInt16 = 1 << UInt16(place)
    if isHidden { hidden[page] |= bit } else { hidden[page] &= ~bit }
    if isUnknown { unknown[page] |= bit } else { unknown[page] &= ~bit }
  }

  /// The visit at this time redirected. True when it was listed until now and is no longer.
  mutating func noteRedirect(_ page: Int, time: Int64) -> Bool {
    let seconds = VisitSamples.seconds(time)
    let start = page * VisitSamples.size
    for index in 0..<VisitSamples.size where times[start + index] == seconds {
      guard let weight = PlacesFrecency.Weight(rawValue: weights[start + index]) else { continue }
      weights[start + index] = weight.afterRedirect.rawValue
      let bit: UInt16 = 1 << UInt16(index)
      guard unknown[page] & bit != 0, hidden[page] & bit == 0 else { return false }
      hidden[page] |= bit
      return true
    }
    return false
  }

  /// The visits of a page.
  func newest(_ page: Int) -> [(time: Int64, weight: PlacesFrecency.Weight)] {
    let start = page * VisitSamples.size
    return (start..<(start + VisitSamples.size)).compactMap { index in
      guard times[index] != VisitSamples.empty, let weight = PlacesFrecency.Weight(rawValue: weights[index]) else {
        return nil
      }
      return (Int64(times[index]) * 1_000_000, weight)
    }
  }

  private static func seconds(_ time: Int64) -> UInt32 { UInt32(clamping: min(time / 1_000_000, Int64(empty) - 1)) }
}
