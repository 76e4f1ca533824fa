import BrowsingData
import Testing

@testable import CLI

@Suite struct ChecklistTests {
  private let offer: [DataType: Int] = [.history: 10, .passwords: 2, .bookmarks: 3, .extensions: 0]

  @Test func `secrets and what there is none of are not ticked at first`() {
    let checklist = Checklist(offer)
    #expect(checklist.items.map(\.type) == [.bookmarks, .extensions, .passwords, .history])
    #expect(checklist.ticked == [.bookmarks, .history])
  }

  @Test func `arrows move, space ticks, return takes`() {
    var checklist = Checklist(offer)
    let down: [UInt8] = [0x1B, 0x5B, 0x42], up: [UInt8] = [0x1B, 0x5B, 0x41]
    #expect(checklist.press(up) == .goOn)
    #expect(checklist.row == 0)
    #expect(checklist.press([UInt8(ascii: " ")]) == .goOn)
    #expect(checklist.press(down) == .goOn)
    #expect(checklist.press(down) == .goOn)
    #expect(checklist.press([UInt8(ascii: " ")]) == .goOn)
    #expect(checklist.ticked == [.passwords, .history])
    #expect(checklist.press([13]) == .taken)
  }

  @Test func `a number ticks its line, a ticks all or none, escape refuses`() {
    var checklist = Checklist(offer)
    #expect(checklist.press([UInt8(ascii: "3")]) == .goOn)
    #expect(checklist.ticked == [.bookmarks, .passwords, .history])
    #expect(checklist.press([UInt8(ascii: "a")]) == .goOn)
    #expect(checklist.ticked == [])
    #expect(checklist.press([UInt8(ascii: "a")]) == .goOn)
    #expect(checklist.ticked == [.bookmarks, .passwords, .history])
    #expect(checklist.press([0x1B]) == .refused)
  }
}
