package import BrowsingData

/// How the fields of the records that have a key of their own change when the same one comes again.
package enum KeyedMerge {
  /// A reading-list item; its key is address and profile.
  package static func merged(
    _ incoming: ReadingListItem, over known: ReadingListItem, _ rule: MergeRule
  ) -> ReadingListItem {
    var result = known
    result.title = taking(incoming.title, over: known.title, rule)
    result.dateAdded = taking(incoming.dateAdded, over: known.dateAdded, rule == .exact ? .exact : .fill)
    result.lastVisitedAt = later(incoming.lastVisitedAt, known.lastVisitedAt, rule)
    result.read = taking(incoming.read, over: known.read, rule)
    result.preview = taking(incoming.preview, over: known.preview, rule)
    result.application = taking(incoming.application, over: known.application, rule == .exact ? .exact : .fill)
    result.unknown = taking(incoming.unknown, over: known.unknown, rule)
    return result
  }

  /// An extension; its key is identifier and profile.
  package static func merged(
    _ incoming: BrowserExtension, over known: BrowserExtension, _ rule: MergeRule
  ) -> BrowserExtension {
    var result = known
    result.name = taking(incoming.name, over: known.name, rule)
    result.developer = taking(incoming.developer, over: known.developer, rule)
    result.storeIdentifier = taking(incoming.storeIdentifier, over: known.storeIdentifier, rule)
    result.store = taking(incoming.store, over: known.store, rule)
    result.version = taking(incoming.version, over: known.version, rule)
    result.enabled = taking(incoming.enabled, over: known.enabled, rule)
    result.homepage = taking(incoming.homepage, over: known.homepage, rule)
    result.iosExtensionBundleIdentifier = taking(
      incoming.iosExtensionBundleIdentifier, over: known.iosExtensionBundleIdentifier, rule)
    result.iosAppBundleIdentifier = taking(incoming.iosAppBundleIdentifier, over: known.iosAppBundleIdentifier, rule)
    result.macosExtensionBundleIdentifier = taking(
      incoming.macosExtensionBundleIdentifier, over: known.macosExtensionBundleIdentifier, rule)
    result.macosAppBundleIdentifier = taking(
      incoming.macosAppBundleIdentifier, over: known.macosAppBundleIdentifier, rule)
    result.application = taking(incoming.application, over: known.application, rule == .exact ? .exact : .fill)
    result.unknown = taking(incoming.unknown, over: known.unknown, rule)
    return result
  }

  /// A card; its key is its number.
  package static func merged(_ incoming: PaymentCard, over known: PaymentCard, _ rule: MergeRule) -> PaymentCard {
    var result = known
    result.name = taking(incoming.name, over: known.name, rule)
    result.holder = taking(incoming.holder, over: known.holder, rule)
    result.expirationMonth = taking(incoming.expirationMonth, over: known.expirationMonth, rule)
    result.expirationYear = taking(incoming.expirationYear, over: known.expirationYear, rule)
    result.lastUsedAt = later(incoming.lastUsedAt, known.lastUsedAt, rule)
    result.profile = taking(incoming.profile, over: known.profile, rule == .exact ? .exact : .fill)
    result.application = taking(incoming.application, over: known.application, rule == .exact ? .exact : .fill)
    result.unknown = taking(incoming.unknown, over: known.unknown, rule)
    return result
  }
}
