import BrowsingData

// Even fields are those without which the record cannot be understood, odd ones are optional. The ids come first.
extension RecordCodec {
  static func encode(_ bookmark: Bookmark) -> [UInt8] {
    var fields = TLVWriter(unknown: bookmark.unknown)
    fields.bytes(2, bookmark.id.bytes)
    fields.varint(4, UInt64(bookmark.kind.rawValue))
    fields.bytes(6, bookmark.parent.bytes)
    fields.natural(8, bookmark.position)
    fields.text(10, bookmark.title)
    if let url = bookmark.url { fields.text(12, url) }
    fields.optionalTime(13, bookmark.dateAdded)
    fields.optionalTime(15, bookmark.dateModified)
    fields.texts(17, bookmark.tags)
    fields.optionalText(19, bookmark.keyword)
    fields.optionalText(21, bookmark.postData)
    fields.optionalText(23, bookmark.description)
    fields.optionalText(25, bookmark.charset)
    fields.optionalText(27, bookmark.icon)
    fields.optionalText(29, bookmark.iconURI)
    fields.optionalTime(31, bookmark.lastVisitedAt)
    fields.optionalText(33, bookmark.guid)
    fields.namedValues(35, bookmark.attributes)
    fields.origin(profile: bookmark.profile, application: bookmark.application)
    return fields.finish()
  }

  static func bookmark(_ fields: inout RecordFields) throws(WireError) -> Bookmark {
    let id = try fields.id(2, "id")
    let number = try fields.fields.required(4).wholeVarint()
    let kind = UInt8(exactly: number).flatMap(Bookmark.Kind.init(rawValue:))
    if kind == nil { fields.note("kind is unknown") }
    var bookmark = Bookmark(
      id: id, kind: kind ?? .bookmark, parent: try fields.id(6, "parent"),
      position: try fields.number(8, "position"), title: try fields.text(10, "title"))
    bookmark.url = try fields.optionalText(12, "url")
    bookmark.dateAdded = try fields.optionalTime(13, "date_added")
    bookmark.dateModified = try fields.optionalTime(15, "date_modified")
    bookmark.tags = try fields.texts(17, "tags")
    bookmark.keyword = try fields.optionalText(19, "keyword")
    bookmark.postData = try fields.optionalText(21, "post_data")
    bookmark.description = try fields.optionalText(23, "description")
    bookmark.charset = try fields.optionalText(25, "charset")
    bookmark.icon = try fields.optionalText(27, "icon")
    bookmark.iconURI = try fields.optionalText(29, "icon_uri")
    bookmark.lastVisitedAt = try fields.optionalTime(31, "last_visited_at")
    bookmark.guid = try fields.optionalText(33, "guid")
    bookmark.attributes = try fields.namedValues(35, "attributes")
    bookmark.profile = try fields.optionalText(61, "profile")
    bookmark.application = try fields.application(63)
    bookmark.unknown = try fields.finish()
    return bookmark
  }

  static func encode(_ item: ReadingListItem) -> [UInt8] {
    var fields = TLVWriter(unknown: item.unknown)
    fields.bytes(2, item.id.bytes)
    fields.text(4, item.title)
    fields.text(6, item.url)
    fields.optionalTime(13, item.dateAdded)
    fields.optionalTime(15, item.lastVisitedAt)
    fields.optionalBool(17, item.read)
    fields.optionalText(19, item.preview)
    fields.origin(profile: item.profile, application: item.application)
    return fields.finish()
  }

  static func readingListItem(_ fields: inout RecordFields) throws(WireError) -> ReadingListItem {
    var item = ReadingListItem(
      id: try fields.id(2, "id"), title: try fields.text(4, "title"), url: try fields.text(6, "url"))
    item.dateAdded = try fields.optionalTime(13, "date_added")
    item.lastVisitedAt = try fields.optionalTime(15, "last_visited_at")
    item.read = try fields.optionalBool(17, "read")
    item.preview = try fields.optionalText(19, "preview")
    item.profile = try fields.optionalText(61, "profile")
    item.application = try fields.application(63)
    item.unknown = try fields.finish()
    return item
  }

  static func encode(_ item: BrowserExtension) -> [UInt8] {
    var fields = TLVWriter(unknown: item.unknown)
    fields.bytes(2, item.id.bytes)
    fields.text(4, item.name)
    fields.text(6, item.identifier)
    fields.optionalText(13, item.developer)
    fields.optionalText(15, item.storeIdentifier)
    fields.optionalText(17, item.store)
    fields.optionalText(19, item.version)
    fields.optionalBool(21, item.enabled)
    fields.optionalText(23, item.homepage)
    fields.optionalText(25, item.iosExtensionBundleIdentifier)
    fields.optionalText(27, item.iosAppBundleIdentifier)
    fields.optionalText(29, item.macosExtensionBundleIdentifier)
    fields.optionalText(31, item.macosAppBundleIdentifier)
    fields.origin(profile: item.profile, application: item.application)
    return fields.finish()
  }

  static func browserExtension(_ fields: inout RecordFields) throws(WireError) -> BrowserExtension {
    var item = BrowserExtension(
      id: try fields.id(2, "id"), name: try fields.text(4, "name"), identifier: try fields.text(6, "identifier"))
    item.developer = try fields.optionalText(13, "developer")
    item.storeIdentifier = try fields.optionalText(15, "store_identifier")
    item.store = try fields.optionalText(17, "store")
    item.version = try fields.optionalText(19, "version")
    item.enabled = try fields.optionalBool(21, "enabled")
    item.homepage = try fields.optionalText(23, "homepage")
    item.iosExtensionBundleIdentifier = try fields.optionalText(25, "ios_extension_bundle_identifier")
    item.iosAppBundleIdentifier = try fields.optionalText(27, "ios_app_bundle_identifier")
    item.macosExtensionBundleIdentifier = try fields.optionalText(29, "macos_extension_bundle_identifier")
    item.macosAppBundleIdentifier = try fields.optionalText(31, "macos_app_bundle_identifier")
    item.profile = try fields.optionalText(61, "profile")
    item.application = try fields.application(63)
    item.unknown = try fields.finish()
    return item
  }
}
