internal import BrowsingData

/// Records as lists of fields and back. What has a place of its own in the store (id; a bookmark's parent and order) is
/// no part of them.
enum RecordContent {
  static func fields(_ bookmark: Bookmark) -> FieldList {
    var list = FieldList()
    list.add(FieldNumber.kind, [bookmark.kind.rawValue])
    list.add(FieldNumber.title, bookmark.title.isEmpty ? nil : bookmark.title)
    list.add(FieldNumber.url, bookmark.url)
    list.add(FieldNumber.dateAdded, bookmark.dateAdded)
    list.add(FieldNumber.dateModified, bookmark.dateModified)
    list.add(FieldNumber.tags, texts: bookmark.tags)
    list.add(FieldNumber.keyword, bookmark.keyword)
    list.add(FieldNumber.postData, bookmark.postData)
    list.add(FieldNumber.description, bookmark.description)
    list.add(FieldNumber.charset, bookmark.charset)
    list.add(FieldNumber.icon, bookmark.icon)
    list.add(FieldNumber.iconURI, bookmark.iconURI)
    list.add(FieldNumber.lastVisitedAt, bookmark.lastVisitedAt)
    list.add(FieldNumber.guid, bookmark.guid)
    list.add(FieldNumber.attributes, texts: bookmark.attributes.flatMap { [$0.name, $0.value] })
    list.add(FieldNumber.profile, bookmark.profile)
    list.add(FieldNumber.application, bookmark.application)
    list.add(FieldNumber.unknown, bookmark.unknown)
    return list
  }

  static func bookmark(_ id: RecordID, _ list: FieldList, parent: RecordID, position: Int) -> Bookmark {
    let kind = list[FieldNumber.kind]?.first.flatMap(Bookmark.Kind.init(rawValue:)) ?? .bookmark
    var bookmark = Bookmark(
      id: id, kind: kind, parent: parent, position: position, title: list.text(FieldNumber.title) ?? "",
      url: list.text(FieldNumber.url), dateAdded: list.time(FieldNumber.dateAdded),
      dateModified: list.time(FieldNumber.dateModified))
    bookmark.tags = list.texts(FieldNumber.tags)
    bookmark.keyword = list.text(FieldNumber.keyword)
    bookmark.postData = list.text(FieldNumber.postData)
    bookmark.description = list.text(FieldNumber.description)
    bookmark.charset = list.text(FieldNumber.charset)
    bookmark.icon = list.text(FieldNumber.icon)
    bookmark.iconURI = list.text(FieldNumber.iconURI)
    bookmark.lastVisitedAt = list.time(FieldNumber.lastVisitedAt)
    bookmark.guid = list.text(FieldNumber.guid)
    let attributes = list.texts(FieldNumber.attributes)
    bookmark.attributes = stride(from: 0, to: attributes.count - 1, by: 2).map {
      NamedValue(name: attributes[$0], value: attributes[$0 + 1])
    }
    bookmark.profile = list.text(FieldNumber.profile)
    bookmark.application = list.application(FieldNumber.application)
    bookmark.unknown = list.unknownFields(FieldNumber.unknown)
    return bookmark
  }

  static func fields(_ item: ReadingListItem) -> FieldList {
    var list = FieldList()
    list.add(FieldNumber.title, item.title.isEmpty ? nil : item.title)
    list.add(FieldNumber.url, item.url)
    list.add(FieldNumber.dateAdded, item.dateAdded)
    list.add(FieldNumber.lastVisitedAt, item.lastVisitedAt)
    list.add(FieldNumber.read, item.read)
    list.add(FieldNumber.preview, item.preview)
    list.add(FieldNumber.profile, item.profile)
    list.add(FieldNumber.application, item.application)
    list.add(FieldNumber.unknown, item.unknown)
    return list
  }

  static func readingListItem(_ id: RecordID, _ list: FieldList) -> ReadingListItem {
    var item = ReadingListItem(
      id: id, title: list.text(FieldNumber.title) ?? "", url: list.text(FieldNumber.url) ?? "",
      dateAdded: list.time(FieldNumber.dateAdded))
    item.lastVisitedAt = list.time(FieldNumber.lastVisitedAt)
    item.read = list.bool(FieldNumber.read)
    item.preview = list.text(FieldNumber.preview)
    item.profile = list.text(FieldNumber.profile)
    item.application = list.application(FieldNumber.application)
    item.unknown = list.unknownFields(FieldNumber.unknown)
    return item
  }

  static func fields(_ browserExtension: BrowserExtension) -> FieldList {
    var list = FieldList()
    list.add(FieldNumber.title, browserExtension.name.isEmpty ? nil : browserExtension.name)
    list.add(FieldNumber.developer, browserExtension.developer)
    list.add(FieldNumber.identifier, browserExtension.identifier)
    list.add(FieldNumber.storeIdentifier, browserExtension.storeIdentifier)
    list.add(FieldNumber.store, browserExtension.store)
    list.add(FieldNumber.version, browserExtension.version)
    list.add(FieldNumber.enabled, browserExtension.enabled)
    list.add(FieldNumber.homepage, browserExtension.homepage)
    list.add(FieldNumber.iosExtension, browserExtension.iosExtensionBundleIdentifier)
    list.add(FieldNumber.iosApp, browserExtension.iosAppBundleIdentifier)
    list.add(FieldNumber.macosExtension, browserExtension.macosExtensionBundleIdentifier)
    list.add(FieldNumber.macosApp, browserExtension.macosAppBundleIdentifier)
    list.add(FieldNumber.profile, browserExtension.profile)
    list.add(FieldNumber.application, browserExtension.application)
    list.add(FieldNumber.unknown, browserExtension.unknown)
    return list
  }

  static func browserExtension(_ id: RecordID, _ list: FieldList) -> BrowserExtension {
    var result = BrowserExtension(
      id: id, name: list.text(FieldNumber.title) ?? "", identifier: list.text(FieldNumber.identifier) ?? "")
    result.developer = list.text(FieldNumber.developer)
    result.storeIdentifier = list.text(FieldNumber.storeIdentifier)
    result.store = list.text(FieldNumber.store)
    result.version = list.text(FieldNumber.version)
    result.enabled = list.bool(FieldNumber.enabled)
    result.homepage = list.text(FieldNumber.homepage)
    result.iosExtensionBundleIdentifier = list.text(FieldNumber.iosExtension)
    result.iosAppBundleIdentifier = list.text(FieldNumber.iosApp)
    result.macosExtensionBundleIdentifier = list.text(FieldNumber.macosExtension)
    result.macosAppBundleIdentifier = list.text(FieldNumber.macosApp)
    result.profile = list.text(FieldNumber.profile)
    result.application = list.application(FieldNumber.application)
    result.unknown = list.unknownFields(FieldNumber.unknown)
    return result
  }
}
