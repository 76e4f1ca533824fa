package import BrowsingData

/// The one threshold over which an import or a transfer may not change or delete what was there without being told to.
/// Additions never count, nor do merged visits: their fields only grow.
package enum SafetyStop {
  /// Throws when more than 20 records, and more than a quarter of those that were there, are changed or deleted.
  package static func check(_ type: DataType, affected: Int, existing: Int, force: Bool) throws(StoreError) {
    guard !force, affected > max(20, existing / 4) else { return }
    throw .safetyStop(type, affected: affected, existing: existing)
  }
}
