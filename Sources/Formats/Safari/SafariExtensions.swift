package import BrowsingData

/// An `Extensions.json` of a Safari export as a source.
package struct SafariExtensions: RecordSource {
  private let input: any ByteInput
  private let profile: String?
  private let keys: Set<String> = [
    "composed_identifier", "developer_name", "display_name", "marketplace_lookup", "store_identifier",
    "ios_extension_bundle_identifier", "ios_app_bundle_identifier", "macos_extension_bundle_identifier",
    "macos_app_bundle_identifier",
  ]

  /// The extensions of one profile; nil is the default one.
  package init(input: any ByteInput, profile: String? = nil) {
    self.input = input
    self.profile = profile
  }

  package var types: DataTypes { .extensions }

  package func counts() throws -> RecordCounts {
    RecordCounts([.extensions: try SafariList.count(.extensions, input)])
  }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    guard types.contains(.extensions) else { return }
    let batch = SafariBatch<BrowserExtension>(.extensions, RecordBatch.extensions)
    try SafariList.read(.extensions, input, keys: keys, batch, into: consume) { entry, place, batch in
      guard let record = record(entry) else {
        return batch.remark(.skipped, place.line, "entry \(place.number) has no identifier")
      }
      batch.records.append(record)
      if entry.oddFields > 0 {
        let reason = "entry \(place.number) has values of the wrong kind; they were passed over"
        batch.remark(.warning, place.line, reason)
      }
    }
  }

  private func record(_ entry: SafariEntry) -> BrowserExtension? {
    guard let identifier = entry.texts["composed_identifier"] else { return nil }
    let id = RecordID(hashing: .browserExtension(identifier: identifier, profile: profile))
    var record = BrowserExtension(id: id, name: entry.texts["display_name"] ?? identifier, identifier: identifier)
    record.developer = entry.texts["developer_name"]
    record.storeIdentifier = entry.texts["store_identifier"]
    record.iosExtensionBundleIdentifier = entry.texts["ios_extension_bundle_identifier"]
    record.iosAppBundleIdentifier = entry.texts["ios_app_bundle_identifier"]
    record.macosExtensionBundleIdentifier = entry.texts["macos_extension_bundle_identifier"]
    record.macosAppBundleIdentifier = entry.texts["macos_app_bundle_identifier"]
    record.profile = profile
    return record
  }
}
