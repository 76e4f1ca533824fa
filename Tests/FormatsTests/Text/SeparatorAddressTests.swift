import Testing

@testable import Formats

@Suite struct SeparatorAddressTests {
  @Test func `the address of a separator is one with and without its slash, and no other is`() {
    #expect(SeparatorAddress.isOne("http://bookmark.placeholder.url/"))
    #expect(SeparatorAddress.isOne("http://bookmark.placeholder.url"))
    #expect(!SeparatorAddress.isOne("https://bookmark.placeholder.url/"))
    #expect(!SeparatorAddress.isOne("http://bookmark.placeholder.url/page"))
    #expect(!SeparatorAddress.isOne(""))
  }
}
