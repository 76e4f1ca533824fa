import BrowsingData
import Formats

/// Records with the names of the vocabulary. What is unknown is absent; secrets only when they are to be revealed.
extension JSONWriter {
  /// One line of `list`.
  mutating func record(_ record: Record, revealing: Bool) {
    object { json in
      json.field("event", "record")
      json.field("type", record.type.name)
      json.field("id", record.shownID.description)
      switch record {
      case .bookmark(let bookmark): json.fields(of: bookmark)
      case .readingListItem(let item): json.fields(of: item)
      case .browserExtension(let item): json.fields(of: item)
      case .login(let login): json.fields(of: login, revealing: revealing)
      case .paymentCard(let card): json.fields(of: card, revealing: revealing)
      case .historyVisit(let visit): json.fields(of: visit)
      }
    }
    endLine()
  }

  /// A key with microseconds since 1970; nothing where the time is unknown.
  mutating func field(_ name: String, _ time: Timestamp?) {
    guard let time else { return }
    key(name)
    value(time.microseconds)
  }

  private mutating func field(_ name: String, _ link: HistoryVisit.Link?) {
    guard let link else { return }
    key(name)
    object { json in
      json.field("url", link.url)
      json.field("visited_at", link.visitedAt)
    }
  }

  private mutating func origin(_ profile: String?, _ application: Application?) {
    field("profile", profile)
    guard let application else { return }
    key("application")
    object { json in
      json.field("id", application.id)
      json.field("name", application.name)
    }
  }

  private mutating func fields(of bookmark: Bookmark) {
    field("kind", bookmark.kind.name)
    field("parent", bookmark.parent.description)
    field("position", bookmark.position)
    field("title", bookmark.title)
    field("url", bookmark.url)
    field("date_added", bookmark.dateAdded)
    field("date_modified", bookmark.dateModified)
    field("tags", bookmark.tags)
    field("keyword", bookmark.keyword)
    field("post_data", bookmark.postData)
    field("description", bookmark.description)
    field("charset", bookmark.charset)
    field("icon", bookmark.icon)
    field("icon_uri", bookmark.iconURI)
    field("last_visited_at", bookmark.lastVisitedAt)
    if !bookmark.attributes.isEmpty {
      key("attributes")
      object { json in for attribute in bookmark.attributes { json.text(attribute.name, attribute.value) } }
    }
    origin(bookmark.profile, bookmark.application)
  }

  /// A key from a file, which is escaped like any text.
  private mutating func text(_ name: String, _ value: String) {
    key(name)
    self.value(value)
  }

  private mutating func fields(of visit: HistoryVisit) {
    field("url", visit.url)
    field("title", visit.title)
    field("visited_at", visit.visitedAt)
    field("visit_count", visit.visitCount)
    field("transition", visit.transition?.name)
    field("loaded", visit.loaded)
    field("http_get", visit.httpGet)
    field("redirect_source", visit.redirectSource)
    field("redirect_destination", visit.redirectDestination)
    field("referrer", visit.referrer)
    if visit.hidden { field("hidden", true) }
    field("profile", visit.profile)
  }

  private mutating func fields(of item: ReadingListItem) {
    field("title", item.title)
    field("url", item.url)
    field("date_added", item.dateAdded)
    field("last_visited_at", item.lastVisitedAt)
    field("read", item.read)
    field("preview", item.preview)
    origin(item.profile, item.application)
  }

  private mutating func fields(of item: BrowserExtension) {
    field("name", item.name)
    field("developer", item.developer)
    field("identifier", item.identifier)
    field("store_identifier", item.storeIdentifier)
    field("store", item.store)
    field("version", item.version)
    field("enabled", item.enabled)
    field("homepage", item.homepage)
    field("ios_extension_bundle_identifier", item.iosExtensionBundleIdentifier)
    field("ios_app_bundle_identifier", item.iosAppBundleIdentifier)
    field("macos_extension_bundle_identifier", item.macosExtensionBundleIdentifier)
    field("macos_app_bundle_identifier", item.macosAppBundleIdentifier)
    origin(item.profile, item.application)
  }

  private mutating func fields(of login: Login, revealing: Bool) {
    field("title", login.title)
    field("url", login.url)
    field("username", login.username)
    if revealing {
      field("password", login.password)
      field("otpauth", login.otpauth)
    }
    field("notes", login.notes)
    field("urls", login.urls)
    field("http_realm", login.httpRealm)
    field("form_action", login.formAction)
    field("date_created", login.dateCreated)
    field("date_last_used", login.dateLastUsed)
    field("date_password_changed", login.datePasswordChanged)
    field("times_used", login.timesUsed)
    origin(login.profile, login.application)
  }

  private mutating func fields(of card: PaymentCard, revealing: Bool) {
    field("number", revealing ? card.number : String(card.number.suffix(4)))
    field("name", card.name)
    field("holder", card.holder)
    field("expiration_month", card.expirationMonth)
    field("expiration_year", card.expirationYear)
    field("last_used_at", card.lastUsedAt)
    origin(card.profile, card.application)
  }
}

extension Record {
  /// Its id; a visit's is made from its content.
  var shownID: RecordID {
    guard case .historyVisit(let visit) = self else { return id ?? RecordID(high: 0, low: 0) }
    return RecordID(
      hashing: .visit(
        url: visit.url, visitedAt: visit.visitedAt, occurrence: visit.occurrence, profile: visit.profile))
  }
}
