import Foundation
import Store

/// The devices of a home over one connection to its store, opened once and kept: to open the store writes to it, and would
/// be taken for a change. From any thread.
final class SharedBook: @unchecked Sendable {
  // Reason for @unchecked: the store is used under `lock` only.
  private let home: Home
  private let lock = NSLock()
  private var store: RecordStore?

  init(_ home: Home) { self.home = home }

  /// Uses the book; whoever else wants it waits.
  func use<Result>(_ body: (DeviceBook) throws -> Result) throws -> Result {
    try lock.withLock {
      let store = try self.store ?? RecordStore.open(home: home)
      self.store = store
      return try body(DeviceBook(store))
    }
  }
}
