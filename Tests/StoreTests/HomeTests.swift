import Foundation
import Store
import Synchronization
import TestSupport
import Testing

@Suite struct HomeTests {
  let folder = TemporaryDirectory()

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `its folders and files are for this user alone`() throws {
    let home = try Home.open(folder.file("home"))
    _ = try RecordStore.open(home: home)
    for path in [home.data, home.state, home.config] { #expect(try mode(path) == 0o700) }
    for path in [home.storePath, home.config + "/store.key", home.state + "/store.lease"] {
      #expect(try mode(path) == 0o600)
    }
  }

  @Test(arguments: ["data", "state", "config"])
  func `a folder that others may enter is refused`(name: String) throws {
    let root = folder.file("home")
    _ = try Home.open(root)
    chmod(root + "/" + name, 0o750)
    #expect(throws: StoreError.notPrivate(root + "/" + name)) { try Home.open(root) }
  }

  @Test func `a store or a key that others may read is refused`() throws {
    let home = try Home.open(folder.file("home"))
    _ = try RecordStore.open(home: home)
    chmod(home.storePath, 0o640)
    #expect(throws: StoreError.notPrivate(home.storePath)) { try RecordStore.open(home: home) }
    chmod(home.storePath, 0o600)
    chmod(home.config + "/store.key", 0o604)
    #expect(throws: StoreError.notPrivate(home.config + "/store.key")) { try RecordStore.open(home: home) }
  }

  @Test func `a store that several open at once is none of them's restored copy`() throws {
    let home = try Home.open(folder.file("home"))
    let incarnation = try RecordStore.open(home: home).incarnation
    let found = Mutex<[[UInt8]]>([])
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<25 {
        do {
          let store = try RecordStore.open(home: home)
          found.withLock { $0.append(store.incarnation) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(found.withLock { $0.allSatisfy { $0 == incarnation } })
    #expect(try RecordStore.open(home: home).incarnation == incarnation)
  }

  @Test func `a home below a file is an error and no trap`() throws {
    try Data().write(to: URL(filePath: folder.file("plain")))
    #expect(throws: StoreError.self) { try Home.open(folder.file("plain")) }
  }
}
