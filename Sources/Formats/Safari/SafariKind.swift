package import BrowsingData

/// The three JSON files of a Safari export. The raw value is `metadata.data_type` and the name of the array.
package enum SafariKind: String, CaseIterable, Sendable {
  /// Visits.
  case history
  /// Payment cards.
  case paymentCards = "payment_cards"
  /// Extensions.
  case extensions

  /// The kind of record it holds.
  package var type: DataType {
    switch self {
    case .history: .history
    case .paymentCards: .cards
    case .extensions: .extensions
    }
  }

  /// The name of the member when it is written, without profile and extension.
  var fileName: String {
    switch self {
    case .history: "History"
    case .paymentCards: "PaymentCards"
    case .extensions: "Extensions"
    }
  }

  /// The newest `schema_version` whose fields are all known here.
  static let schemaVersion: Int64 = 1
}
