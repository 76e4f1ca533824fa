/// The address by which files of programs without separators keep those of others: a link to it is a separator.
enum SeparatorAddress {
  private static let known = ["http://bookmark.placeholder.url/", "http://bookmark.placeholder.url"]

  static func isOne(_ address: String) -> Bool { known.contains(address) }
}
