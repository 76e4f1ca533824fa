internal import BrowsingData

/// The number in which Chromium says how a page was reached: a core in the low byte, redirects in the bits above.
enum ChromiumTransition {
  static let chainStart: Int64 = 0x1000_0000
  static let chainEnd: Int64 = 0x2000_0000
  static let clientRedirect: Int64 = 0x4000_0000
  static let serverRedirect: Int64 = 0x8000_0000
  static let typed: Int64 = 1
  static let reload: Int64 = 8
  /// Whether a core is that of a frame.
  static func isFrame(_ core: Int64) -> Bool { core == 3 || core == 4 }
  /// Whether no list shows a core: frames, and searches that a keyword made.
  static func isUnlisted(_ core: UInt8) -> Bool { core == 3 || core == 4 || core == 10 }

  /// What a core means.
  static func transition(core: UInt8) -> HistoryVisit.Transition {
    switch core {
    case 0: .link
    case 1: .typed
    case 2: .bookmark
    case 3: .embed
    case 4: .framedLink
    case 5: .generated
    case 6: .startPage
    case 7: .formSubmit
    case 8: .reload
    case 9, 10: .keyword
    default: .other
    }
  }

  /// The core for a visit; nil for a redirect, which has that of the visit its chain began with.
  static func core(_ transition: HistoryVisit.Transition?, isHidden: Bool) -> Int64? {
    switch transition {
    case .link, .download, .other, nil: 0
    case .typed: 1
    case .bookmark: 2
    case .embed: 3
    case .framedLink: 4
    case .generated: 5
    case .startPage: 6
    case .formSubmit: 7
    case .reload: 8
    case .keyword: isHidden ? 10 : 9
    case .redirectPermanent, .redirectTemporary: nil
    }
  }

  /// The number as it is stored: 32 bits with a sign.
  static func signed(_ bits: Int64) -> Int64 { Int64(Int32(truncatingIfNeeded: bits)) }
}
