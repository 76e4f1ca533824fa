import BrowsingData

/// Writes one JSON file of an export: the metadata first, as Chromium demands, then the entries, one a line.
struct SafariListWriter {
  private let kind: SafariKind
  private let output: any ByteOutput
  private let json: JSONWriter
  private var isEmpty = true

  init(_ kind: SafariKind, _ output: any ByteOutput, _ metadata: SafariMetadata) throws(FormatError) {
    self.kind = kind
    self.output = output
    json = JSONWriter(output)
    try json.raw("{\"metadata\":{\"browser_name\":")
    try json.text(metadata.browserName)
    try json.raw(",\"browser_version\":")
    try json.text(metadata.browserVersion)
    try json.raw(",\"data_type\":")
    try json.text(kind.rawValue)
    try json.raw(",\"export_time_usec\":")
    try json.number(metadata.exportTime)
    try json.raw(",\"schema_version\":")
    try json.number(SafariKind.schemaVersion)
    try json.raw("},\n")
    try json.text(kind.rawValue)
    try json.raw(":[")
  }

  /// Closes the list and finishes the output.
  func finish() throws(FormatError) {
    try json.raw("\n]}\n")
    try json.flush()
    try output.finish()
  }

  /// Writes a visit. Both spellings of the count, since Chromium demands Safari's and Apple documents the other; a title
  /// always, since Safari's reader may give an entry without one the title before it.
  mutating func write(_ visit: HistoryVisit) throws(FormatError) {
    try next()
    try json.raw("{\"url\":")
    try json.text(visit.url)
    try json.raw(",\"title\":")
    try json.text(visit.title ?? "")
    try json.raw(",\"time_usec\":")
    try json.number(visit.visitedAt.microseconds)
    let count = Int64(max(1, visit.visitCount))
    try json.raw(",\"visit_count\":")
    try json.number(count)
    try json.raw(",\"visits_count\":")
    try json.number(count)
    if !visit.loaded { try json.raw(",\"latest_visit_was_load_failure\":true") }
    if !visit.httpGet { try json.raw(",\"latest_visit_was_http_get\":false") }
    if let source = visit.redirectSource {
      try json.raw(",\"source_url\":")
      try json.text(source.url)
      try json.raw(",\"source_time_usec\":")
      try json.number(source.visitedAt.microseconds)
    }
    if let destination = visit.redirectDestination {
      try json.raw(",\"destination_url\":")
      try json.text(destination.url)
      try json.raw(",\"destination_time_usec\":")
      try json.number(destination.visitedAt.microseconds)
    }
    try json.raw("}")
  }

  /// Writes a card; what is unknown is left out.
  mutating func write(_ card: PaymentCard) throws(FormatError) {
    try next()
    try json.raw("{\"card_number\":")
    try json.text(card.number)
    try optional(",\"card_name\":", card.name)
    try optional(",\"cardholder_name\":", card.holder)
    try optional(",\"card_expiration_month\":", card.expirationMonth.map { Int64($0) })
    try optional(",\"card_expiration_year\":", card.expirationYear.map { Int64($0) })
    try optional(",\"card_last_used_time_usec\":", card.lastUsedAt?.microseconds)
    try json.raw("}")
  }

  /// Writes an extension.
  mutating func write(_ record: BrowserExtension) throws(FormatError) {
    try next()
    try json.raw("{\"composed_identifier\":")
    try json.text(record.identifier)
    try json.raw(",\"developer_name\":")
    try json.text(record.developer ?? "")
    try json.raw(",\"display_name\":")
    try json.text(record.name)
    try json.raw(",\"marketplace_lookup\":{\"store_identifier\":")
    try json.text(SafariListWriter.isApple(record) ? record.storeIdentifier ?? "" : "")
    try optional(",\"ios_extension_bundle_identifier\":", record.iosExtensionBundleIdentifier)
    try optional(",\"ios_app_bundle_identifier\":", record.iosAppBundleIdentifier)
    try optional(",\"macos_extension_bundle_identifier\":", record.macosExtensionBundleIdentifier)
    try optional(",\"macos_app_bundle_identifier\":", record.macosAppBundleIdentifier)
    try json.raw("}}")
  }

  /// Whether its number in the store is one of Apple's: another store's must not be looked up there.
  static func isApple(_ record: BrowserExtension) -> Bool {
    switch record.store {
    case nil, "app-store", "mac-app-store": true
    case .some: false
    }
  }

  private mutating func next() throws(FormatError) {
    if isEmpty { try json.raw("\n") } else { try json.raw(",\n") }
    isEmpty = false
  }

  private func optional(_ key: StaticString, _ text: String?) throws(FormatError) {
    guard let text, !text.isEmpty else { return }
    try json.raw(key)
    try json.text(text)
  }

  private func optional(_ key: StaticString, _ number: Int64?) throws(FormatError) {
    guard let number else { return }
    try json.raw(key)
    try json.number(number)
  }
}
