/// What a person can do about a failure. Some of it depends on what was under way: only a transfer is resumed.
enum Advice: Equatable, Sendable {
  /// These words, whatever was under way; may be empty.
  case words(String)
  /// Go on where it stopped.
  case goOn
  /// Do this first (without a full stop), then go on where it stopped.
  case goOnAfter(String)
  /// Try once more, where a code may have been used up.
  case newCode
  /// These words in a transfer; in what pairs or syncs the other ones.
  case inTransfer(String, otherwise: String)
  /// The two must get to know each other; in a transfer in these words.
  static func meetAnew(_ text: String) -> Advice {
    .inTransfer(text, otherwise: "Let the two meet anew: wherry pair, here and there.")
  }

  /// The two must do what fits.
  static let takeRoles = Advice.inTransfer(
    "One must run 'wherry send', the other 'wherry receive'.",
    otherwise: "Run the same on both machines: wherry pair, or wherry sync.")

  /// The words; `code` is what went wrong.
  func words(in undertaking: Undertaking, _ code: TransferError.Code) -> String {
    switch (self, undertaking) {
    case (.words(let text), _): text
    case (.goOn, .transfer): "Go on with --resume."
    // Whoever has stopped it knows how to run it.
    case (.goOn, .sync), (.goOn, .pairing): code == .stopped ? "" : "\(undertaking.again)."
    case (.goOnAfter(let first), .transfer): "\(first), then go on with --resume."
    case (.goOnAfter(let first), .sync), (.goOnAfter(let first), .pairing): "\(first). \(undertaking.again)."
    case (.newCode, .transfer), (.newCode, .pairing): "Try again with a new code."
    case (.newCode, .sync): "\(undertaking.again)."
    case (.inTransfer(let text, _), .transfer): text
    case (.inTransfer(_, let text), .sync), (.inTransfer(_, let text), .pairing): text
    }
  }
}

/// What two devices do together.
enum Undertaking: Equatable, Sendable {
  case transfer
  case pairing
  case sync

  /// How it is begun once more, where it is not resumed.
  fileprivate var again: String {
    switch self {
    case .transfer: "Start a new one"
    case .pairing: "Run wherry pair again, here and there"
    case .sync: "Run wherry sync again"
    }
  }
}
