internal import BrowsingData
internal import Store

/// The bookmarks that a profile holds, by foreign id.
struct HeldTree {
  /// One of them.
  struct Item {
    var foreignID: String
    var bookmark: Bookmark
    var shadow: Shadow
  }

  /// Parents before children, siblings in order.
  let items: [Item]
  /// The foreign ids in a folder (foreign id or root's name), in order.
  let children: [String: [String]]
  private let places: [String: Int]

  /// Throws `noForeignIDs` when one of them has none.
  init(_ held: [Held<Bookmark>]) throws(BindingError) {
    let folders = HeldFolders(held)
    var items: [Item] = []
    var children: [String: [String]] = [:]
    var places: [String: Int] = [:]
    for one in held {
      guard !one.foreignID.isEmpty, places[one.foreignID] == nil else { throw .noForeignIDs }
      let folder = folders.name(of: one.item.parent)
      let rank = children[folder]?.count ?? 0
      children[folder, default: []].append(one.foreignID)
      places[one.foreignID] = items.count
      items.append(
        Item(
          foreignID: one.foreignID, bookmark: one.item, shadow: Shadow(one.item, folder: folder, rank: rank)))
    }
    (self.items, self.children, self.places) = (items, children, places)
  }

  /// The item with this foreign id.
  subscript(_ foreignID: String) -> Item? { places[foreignID].map { items[$0] } }

  /// The names of all folders that have something in them, each before the folders in it.
  var folders: [String] {
    let names = RecordID.roots.map(\.id.description) + items.map(\.foreignID)
    return names.filter { children[$0] != nil }
  }

  /// Whether every item is bound and as its bond says, and none that is bound is missing.
  func isAsBound(by bonds: [Bond]) -> Bool {
    bonds.count == items.count
      && bonds.allSatisfy { bond in
        guard let shadow = self[bond.foreignID]?.shadow else { return false }
        return shadow.bytes == bond.shadow || shadow == Shadow(bond)
      }
  }

  /// What a profile's reader gives, each with its own id; nothing else is known of them.
  static func held(_ bookmarks: [Bookmark]) throws(BindingError) -> [Held<Bookmark>] {
    var held: [Held<Bookmark>] = []
    for bookmark in bookmarks {
      guard let guid = bookmark.guid, !guid.isEmpty else { throw .noForeignIDs }
      held.append(Held(guid, bookmark))
    }
    return held
  }
}
