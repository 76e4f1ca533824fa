internal import SQLite

extension RecordStore {
  /// What SQLite finds wrong with the store's file; empty when it is sound. Reads all of it.
  package func check() throws -> [String] {
    try mapping {
      let read = try statement("PRAGMA quick_check(10)")
      defer { read.reset() }
      var faults: [String] = []
      while try read.step() {
        if let fault = read.text(0), fault != "ok" { faults.append(fault) }
      }
      return faults
    }
  }
}
