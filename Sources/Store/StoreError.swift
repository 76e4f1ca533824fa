package import BrowsingData
package import SQLite

/// What keeps the store from doing what it was asked. Names counts and our own files, never a record's content.
package enum StoreError: Error, Equatable, Sendable {
  /// Another process writes to the store; trying again helps.
  case busy
  /// The disk is full; nothing was half written.
  case full
  /// The store's file is damaged. At opening it is set aside and this is not thrown.
  case corrupt
  /// A newer Wherry has changed the store; it is left as it is.
  case newerSchema
  /// The home cannot be written. With the path.
  case readOnly(String)
  /// Others than this user may read it. With the path.
  case notPrivate(String)
  /// A file of the home cannot be read or written. With the path and the system's words.
  case file(String, String)
  /// More of the records that were there would change or go than an import may do without being told to.
  case safetyStop(DataType, affected: Int, existing: Int)
  /// A sealed field does not open with this home's key.
  case unsealable
  /// A batch does not start where its cursor stands.
  case wrongCursor(ChangeLog)
  /// A batch names a page that was not sent, or does not hold what its log holds.
  case malformed(ChangeLog)
  /// There is no such journal entry, or it cannot be taken back.
  case noSuchEntry
  /// There is no such record, or it cannot be edited so.
  case noSuchRecord
  /// There is no such paired device.
  case noSuchPeer
  /// A paired device speaks under a name that its store has given up: two machines are copies of one.
  case clonedIdentity
  /// SQLite refused for another reason.
  case database(DatabaseError)

  /// What a database error means for the store.
  package init(_ error: DatabaseError, path: String) {
    switch error.code {
    case .busy, .locked: self = .busy
    case .full: self = .full
    case .corrupt, .notADatabase: self = .corrupt
    case .readOnly, .cantOpen: self = .readOnly(path)
    default: self = .database(error)
    }
  }
}
