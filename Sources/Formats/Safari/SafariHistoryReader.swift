import BrowsingData

/// Turns the entries of a history file into visits and remarks.
struct SafariHistoryReader {
  private let survey: SafariHistorySurvey
  private let hash: TextHash
  private var visits: RecordRoom<HistoryVisit>
  private var remarks: [Remark] = []
  /// How many visits of a time that several have were seen so far.
  private var seen: [SafariHop: Int] = [:]

  init(_ survey: SafariHistorySurvey, hash: TextHash, profile: String?) {
    self.survey = survey
    self.hash = hash
    visits = RecordRoom(HistoryVisit(url: "", visitedAt: Timestamp(microseconds: 0), profile: profile))
  }

  /// Whether it is time to `flush`.
  var isFull: Bool { visits.isFull || remarks.count >= 128 }

  /// Hands over what was read since the last time.
  mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    if !visits.isEmpty { try consume(.history(visits.take())) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks.removeAll(keepingCapacity: true)
  }

  /// Reads one entry.
  @inline(__always)
  mutating func read(_ scanner: inout JSONScanner, _ shape: inout SafariHistoryEntry.Shape, number: Int)
    throws(FormatError)
  {
    try scanner.beginEntry()
    let line = scanner.line
    let entry = try SafariHistoryEntry.read(&scanner, &shape)
    defer { scanner.endEntry() }
    if let problem = entry.problem { return remark(.skipped, number, line, problem) }
    guard let url = scanner.string(entry.url) else {
      return remark(.skipped, number, line, "has an address that is no valid text")
    }
    var occurrence = 0
    if !survey.repeatedTimes.isEmpty, survey.repeatedTimes.contains(entry.time) {
      let visit = SafariHop(hash(entry.url, &scanner), entry.time)
      occurrence = seen[visit, default: 0]
      seen[visit] = occurrence &+ 1
    }
    let title = title(entry.title, &scanner, number, line)
    let (source, destination) = (link(entry.source, &scanner), link(entry.destination, &scanner))
    visits.add { visit in
      visit.url = url
      visit.title = title
      visit.visitedAt = Timestamp(microseconds: entry.time)
      visit.visitCount = entry.visitCount
      visit.loaded = !entry.loadFailed
      visit.httpGet = entry.httpGet
      visit.redirectSource = source
      visit.redirectDestination = destination
      visit.occurrence = occurrence
      return true
    }
  }

  /// Adds what is to be said of the file as a whole.
  mutating func sumUp() {
    if survey.isNewer { warn("the file is of a newer version; fields not known here are passed over") }
    if survey.danglingHops > 0 {
      warn("\(survey.danglingHops) redirects lead to or from visits that are not in the file; they are kept")
    }
    if survey.oddFields > 0 { warn("\(survey.oddFields) optional fields are incomplete and were passed over") }
  }

  private mutating func title(
    _ text: JSONScanner.Text, _ scanner: inout JSONScanner, _ number: Int, _ line: Int
  ) -> String? {
    if text.isEmpty { return nil }
    if let title = scanner.string(text) { return title }
    remark(.warning, number, line, "has a title that is no valid text; it was repaired")
    return scanner.repairedString(text)
  }

  @inline(__always)
  private func link(_ hop: SafariHistoryEntry.Hop, _ scanner: inout JSONScanner) -> HistoryVisit.Link? {
    guard hop.isWhole, let url = scanner.string(hop.url) else { return nil }
    var time = hop.time
    if !survey.corrections.isEmpty {
      time = survey.corrections[SafariHop(hash(hop.url, &scanner), hop.time)] ?? time
    }
    return HistoryVisit.Link(url: url, visitedAt: Timestamp(microseconds: time))
  }

  private mutating func remark(_ kind: Remark.Kind, _ number: Int, _ line: Int, _ reason: String) {
    remarks.append(Remark(kind, type: .history, place: .line(line), reason: "entry \(number) \(reason)"))
  }

  private mutating func warn(_ reason: String) {
    remarks.append(Remark(.warning, type: .history, reason: reason))
  }
}
