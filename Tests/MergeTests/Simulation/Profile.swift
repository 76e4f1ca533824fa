import BrowsingData

/// What the people of a schedule mostly do.
struct Profile {
  enum Action {
    case add
    case edit
    case move
    case delete
    case save
    case restore
  }

  /// Shares of adding, editing, moving, deleting, saving a backup and restoring one; the rest are contacts.
  var shares: [(Action, Double)]
  var kinds: [Bookmark.Kind]
  var titles = 4
  var urls = 4
  var startsWithFolders = false
  /// How often a chosen contact happens.
  var contact: [Double] = [1, 1, 0.35, 0.1]

  func action(_ fraction: Double, restores: Bool) -> Action? {
    var left = fraction
    for (action, share) in shares {
      if left < share {
        switch action {
        case .save, .restore: return restores ? action : nil
        case .add, .edit, .move, .delete: return action
        }
      }
      left -= share
    }
    return nil
  }

  static let all = [mixed, mixed, circles, circles, edits, twins]

  static let mixed = Profile(
    shares: [(.add, 0.26), (.edit, 0.16), (.move, 0.18), (.delete, 0.08), (.save, 0.02), (.restore, 0.015)],
    kinds: [.bookmark, .bookmark, .bookmark, .bookmark, .folder, .folder, .separator])
  /// Few folders, many concurrent moves of folders, rare contact.
  static let circles = Profile(
    shares: [(.add, 0.14), (.edit, 0.02), (.move, 0.46), (.delete, 0.04), (.save, 0.02), (.restore, 0.02)],
    kinds: [.folder, .folder, .folder, .folder, .bookmark], startsWithFolders: true, contact: [0.05, 0.15, 0.35])
  static let edits = Profile(
    shares: [(.add, 0.10), (.edit, 0.40), (.move, 0.06), (.delete, 0.10), (.save, 0.02), (.restore, 0.02)],
    kinds: [.bookmark, .bookmark, .bookmark, .bookmark, .folder])
  /// The same few items added on several devices.
  static let twins = Profile(
    shares: [(.add, 0.40), (.edit, 0.06), (.move, 0.06), (.delete, 0.08), (.save, 0.02), (.restore, 0.02)],
    kinds: [.bookmark, .bookmark, .folder], titles: 1, urls: 2)
}
