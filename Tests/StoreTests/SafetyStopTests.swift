import BrowsingData
import Store
import Testing

@Suite struct SafetyStopTests {
  @Test(arguments: [(20, 0, false), (21, 0, true), (21, 84, false), (21, 83, true), (25, 100, false), (26, 100, true)])
  func `it is passed by few changes and by a quarter`(affected: Int, existing: Int, stops: Bool) {
    if stops {
      #expect(throws: StoreError.safetyStop(.bookmarks, affected: affected, existing: existing)) {
        try SafetyStop.check(.bookmarks, affected: affected, existing: existing, force: false)
      }
    } else {
      #expect(throws: Never.self) {
        try SafetyStop.check(.bookmarks, affected: affected, existing: existing, force: false)
      }
    }
    #expect(throws: Never.self) {
      try SafetyStop.check(.bookmarks, affected: affected, existing: existing, force: true)
    }
  }
}
