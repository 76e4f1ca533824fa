import BrowsingData

/// The profiles that records name.
enum ProfileLabels {
  /// Throws `notFound`, and says which there are, when no record of a source names this profile. Reads no further than to
  /// the first that does.
  static func require(_ name: String, in source: any RecordSource) throws {
    struct Found: Error {}
    var names: Set<String> = []
    var last: String?
    func take(_ label: String?) throws {
      guard let label, label != last else { return }
      if label == name { throw Found() }
      last = label
      names.insert(label)
    }
    do {
      // Secrets need not be opened where another record tells it.
      for types in [source.types.subtracting(.secrets), source.types.intersection(.secrets)] {
        try source.read(types) { batch in
          try Interruption.shared.check()
          switch batch {
          case .bookmarks(let bookmarks): for bookmark in bookmarks { try take(bookmark.profile) }
          case .readingList(let items): for item in items { try take(item.profile) }
          case .extensions(let items): for item in items { try take(item.profile) }
          case .logins(let logins): for login in logins { try take(login.profile) }
          case .cards(let cards): for card in cards { try take(card.profile) }
          case .history(let visits): for visit in visits { try take(visit.profile) }
          case .pages, .visits, .remarks: break
          }
        }
      }
    } catch is Found {
      return
    }
    let hint =
      names.isEmpty
      ? "No record names a profile: all are of a default one. Leave --profile out."
      : "Records are of the default profile, which has no name, or of: \(list(names.sorted().prefix(20).map(visible)))."
    throw Failure(.notFound, "No record is of a profile \(quoted(name)).", hint: hint)
  }
}
