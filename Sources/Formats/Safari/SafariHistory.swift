package import BrowsingData

/// A `History.json` of a Safari export as a source: one visit for each entry, with its count.
package struct SafariHistory: RecordSource {
  private let input: any ByteInput
  private let profile: String?
  private let survey = Survey()

  /// The history of one profile; nil is the default one.
  package init(input: any ByteInput, profile: String? = nil) {
    self.input = input
    self.profile = profile
  }

  package var types: DataTypes { .history }

  package func counts() throws -> RecordCounts { RecordCounts([.history: try survey.of(input).visits]) }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    guard types.contains(.history) else { return }
    let survey = try survey.of(input)
    var reader = SafariHistoryReader(survey, hash: self.survey.hash, profile: profile)
    var shape = SafariHistoryEntry.Shape()
    _ = try SafariEnvelope.read(.history, from: input) { scanner, number in
      try reader.read(&scanner, &shape, number: number)
      if reader.isFull { try reader.flush(into: consume) }
    }
    reader.sumUp()
    try reader.flush(into: consume)
  }

  /// Made once, when it is first needed.
  private final class Survey {
    let hash = TextHash()
    private var made: SafariHistorySurvey?

    func of(_ input: any ByteInput) throws -> SafariHistorySurvey {
      if let made { return made }
      let new = try SafariHistorySurvey(input, hash: hash)
      made = new
      return new
    }
  }
}
