internal import BrowsingData

/// What Firefox keeps of a bookmark outside its row: tags and keywords, which belong to the page, its character set,
/// and the descriptions of old versions.
struct PlacesAnnotations {
  private var tags: [Int64: [String]] = [:]
  private var keywords: [Int64: (keyword: String, postData: String?)] = [:]
  private var charsets: [Int64: String] = [:]
  /// By the bookmark's row.
  private(set) var descriptions: [Int64: String] = [:]

  /// Reads them all; there are few.
  init(_ database: ProfileDatabase) throws(ProfileError) {
    let tagRows = try database.rows(
      """
      SELECT b.fk, t.title FROM moz_bookmarks t JOIN moz_bookmarks b ON b.parent = t.id
      WHERE t.parent = (SELECT id FROM moz_bookmarks WHERE guid = 'tags________') AND b.fk IS NOT NULL
      ORDER BY t.title, b.id
      """)
    while try tagRows.next() {
      guard let tag = tagRows.text(1), !tag.isEmpty else { continue }
      if tags[tagRows.int64(0)]?.last != tag { tags[tagRows.int64(0), default: []].append(tag) }
    }
    if database.has("moz_keywords", ["keyword", "place_id", "post_data"]) {
      let rows = try database.rows("SELECT place_id, keyword, post_data FROM moz_keywords ORDER BY id DESC")
      while try rows.next() {
        guard let keyword = rows.text(1), !keyword.isEmpty else { continue }
        let postData = rows.text(2) ?? ""
        keywords[rows.int64(0)] = (keyword, postData.isEmpty ? nil : postData)
      }
    }
    charsets = try PlacesAnnotations.contents(database, "moz_annos", "place_id", "URIProperties/characterSet")
    descriptions = try PlacesAnnotations.contents(
      database, "moz_items_annos", "item_id", "bookmarkProperties/description")
  }

  private static func contents(
    _ database: ProfileDatabase, _ table: String, _ key: String, _ name: String
  ) throws(ProfileError) -> [Int64: String] {
    guard database.has(table, [key, "anno_attribute_id", "content"]),
      database.has("moz_anno_attributes", ["id", "name"])
    else { return [:] }
    let rows = try database.rows(
      """
      SELECT a.\(key), a.content FROM \(table) a JOIN moz_anno_attributes n ON n.id = a.anno_attribute_id
      WHERE n.name = '\(name)'
      """)
    var contents: [Int64: String] = [:]
    while try rows.next() {
      if let content = rows.text(1), !content.isEmpty { contents[rows.int64(0)] = content }
    }
    return contents
  }

  /// Gives a bookmark what belongs to its page.
  func add(to bookmark: inout Bookmark, page: Int64) {
    bookmark.tags = tags[page] ?? []
    bookmark.keyword = keywords[page]?.keyword
    bookmark.postData = keywords[page]?.postData
    bookmark.charset = charsets[page]
  }
}
