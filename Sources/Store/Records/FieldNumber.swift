internal import BrowsingData

/// The numbers of the fields in a record's body. Given once, never used for another thing.
enum FieldNumber {
  static let kind: UInt64 = 1
  static let title: UInt64 = 2
  static let url: UInt64 = 3
  static let place: UInt64 = 4
  static let occurrence: UInt64 = 5
  static let dateAdded: UInt64 = 6
  static let dateModified: UInt64 = 7
  static let tags: UInt64 = 8
  static let keyword: UInt64 = 9
  static let postData: UInt64 = 10
  static let description: UInt64 = 11
  static let charset: UInt64 = 12
  static let icon: UInt64 = 13
  static let iconURI: UInt64 = 14
  static let lastVisitedAt: UInt64 = 15
  static let guid: UInt64 = 16
  static let attributes: UInt64 = 17
  static let read: UInt64 = 18
  static let preview: UInt64 = 19
  static let developer: UInt64 = 20
  static let identifier: UInt64 = 21
  static let storeIdentifier: UInt64 = 22
  static let store: UInt64 = 23
  static let version: UInt64 = 24
  static let enabled: UInt64 = 25
  static let homepage: UInt64 = 26
  static let iosExtension: UInt64 = 27
  static let iosApp: UInt64 = 28
  static let macosExtension: UInt64 = 29
  static let macosApp: UInt64 = 30
  static let username: UInt64 = 31
  static let password: UInt64 = 32
  static let notes: UInt64 = 33
  static let otpauth: UInt64 = 34
  static let urls: UInt64 = 35
  static let httpRealm: UInt64 = 36
  static let formAction: UInt64 = 37
  static let dateCreated: UInt64 = 38
  static let dateLastUsed: UInt64 = 39
  static let datePasswordChanged: UInt64 = 40
  static let timesUsed: UInt64 = 41
  static let number: UInt64 = 50
  static let holder: UInt64 = 51
  static let expirationMonth: UInt64 = 52
  static let expirationYear: UInt64 = 53
  static let lastUsedAt: UInt64 = 54
  static let profile: UInt64 = 61
  static let application: UInt64 = 62
  static let unknown: UInt64 = 63

  /// Whether the store holds it sealed.
  static func isSealed(_ number: UInt64, _ type: DataType) -> Bool {
    switch type {
    case .passwords: loginSecrets.contains(number)
    case .cards: cardSecrets.contains(number)
    case .bookmarks, .readingList, .extensions, .history, .resources: false
    }
  }

  private static let loginSecrets: Set<UInt64> = [title, username, password, notes, otpauth, urls, unknown]
  private static let cardSecrets: Set<UInt64> = [number, title, holder, expirationMonth, expirationYear, unknown]

  /// Whether this version gives it a meaning: a field of a newer one is never taken away by leaving it out.
  static func isKnown(_ field: UInt64) -> Bool {
    (kind...timesUsed).contains(field) || (number...lastUsedAt).contains(field) || (profile...unknown).contains(field)
  }

  /// Whether it only says when or how often something was used or changed: no edit by itself.
  static func isFact(_ field: UInt64) -> Bool {
    [dateModified, lastVisitedAt, dateLastUsed, timesUsed, lastUsedAt].contains(field)
  }

  /// Whether another value in it is what the safety stop is there for: what a person would miss.
  static func isWeighty(_ field: UInt64) -> Bool {
    [title, url, place, tags, keyword, postData, description, read, preview, holder, expirationMonth, expirationYear]
      .contains(field)
  }
}
