import BrowsingData
import Foundation
import Store
import Testing

@testable import Binding

@Suite struct ShadowTests {
  private func bond(_ bytes: [UInt8]) -> Bond { Bond(foreignID: "a", id: RecordID(high: 1, low: 1), shadow: bytes) }

  private let all: [Shadow] = [
    shadow(), shadow(title: "Ä title", url: "https://a.test/", tags: ["x", "", "ü"]),
    shadow(url: "", keyword: "k", postData: "p"), shadow(keyword: ""),
    shadow(tags: [String](repeating: "t", count: 300)),
    shadow(rank: 20_000, title: String(repeating: "long ", count: 100)),
  ]

  private static func shadow(
    rank: Int = 3, title: String = "", url: String? = nil, tags: [String] = [], keyword: String? = nil,
    postData: String? = nil
  ) -> Shadow {
    var bookmark = Bookmark(id: RecordID(high: 1, low: 2), kind: .bookmark, parent: .other, position: 0, title: title)
    (bookmark.url, bookmark.tags, bookmark.keyword, bookmark.postData) = (url, tags, keyword, postData)
    return Shadow(bookmark, folder: "folder", rank: rank)
  }

  @Test func `a shadow comes back as it was, and different ones are different bytes`() {
    for one in all { #expect(Shadow(bond(one.bytes)) == one) }
    #expect(Set(all.map(\.bytes)).count == all.count)
  }

  @Test func `one that an earlier version wrote is still read`() throws {
    for one in all { #expect(Shadow(bond([UInt8](try JSONEncoder().encode(one)))) == one) }
  }

  @Test func `bytes that are cut off, or none of ours, are no shadow`() {
    for one in all.prefix(4) {
      for end in 0..<one.bytes.count { #expect(Shadow(bond(Array(one.bytes[..<end]))) == nil) }
      #expect(Shadow(bond(one.bytes + [0])) == nil)
    }
    #expect(Shadow(bond([1] + [UInt8](repeating: 255, count: 40))) == nil)
  }
}
