import BrowsingData
import Store
import Testing

@testable import Transfer

@Suite struct CutEverywhereTests {
  @Test func `a session that is cut at any byte in either direction ends as one that is not`() throws {
    let homes = try TwoHomes()
    let visits = someVisits(12, seed: 11)
    try homes.fill(visits)
    let expected = try TwoHomes.visits(homes.old)
    let whole = try session(homes, "whole")
    #expect(try whole.connect())
    #expect(try whole.arrived() == expected)
    let lengths = whole.bytes
    for direction in InMemorySession.Direction.allCases {
      for place in 0...(lengths[direction] ?? 0) {
        let cut = try session(homes, "\(direction)-\(place)")
        let wasDone = try cut.connect(cut: (direction, place))
        let isDone = try wasDone || cut.connect()
        #expect(isDone, "cut \(direction) after \(place) bytes")
        #expect(try cut.arrived() == expected, "cut \(direction) after \(place) bytes")
        #expect(cut.rowsSent <= whole.rowsSent * 2)
        RecordStore.delete(transferFolder: cut.importerFolder)
      }
    }
  }

  private func session(_ homes: TwoHomes, _ name: String) throws -> InMemorySession {
    try InMemorySession(
      exporterHome: homes.old, importerHome: homes.new, importerFolder: homes.new.transferFolder(token: name),
      totals: [.history: 12])
  }
}
