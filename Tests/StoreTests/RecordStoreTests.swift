import BrowsingData
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@Suite struct RecordStoreTests {
  let folder = TemporaryDirectory()

  private func home(_ name: String = "home") throws -> Home { try Home.open(folder.file(name)) }

  @Test func `a store keeps its name from one opening to the next`() throws {
    let home = try home()
    let first = try RecordStore.open(home: home).incarnation
    #expect(first.count == 16)
    #expect(try RecordStore.open(home: home).incarnation == first)
    let other = try RecordStore.open(home: home)
    #expect(try RecordStore.open(home: home).incarnation == other.incarnation)
  }

  @Test func `a restored store takes another name`() throws {
    let home = try home()
    let first = try RecordStore.open(home: home).incarnation
    try FileManager.default.copyItem(atPath: home.storePath, toPath: folder.file("backup"))
    _ = try RecordStore.open(home: home)
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: home.storePath + suffix) }
    try FileManager.default.copyItem(atPath: folder.file("backup"), toPath: home.storePath)
    #expect(try RecordStore.open(home: home).incarnation != first)
  }

  @Test func `a store that another connection is writing can be opened`() throws {
    let home = try home()
    let store = try RecordStore.open(home: home)
    let run = try store.beginImport(ImportOptions(kind: .file, label: "slow"))
    #expect(try RecordStore.open(home: home).incarnation == store.incarnation)
    run.abandon()
  }

  @Test(arguments: [false, true])
  func `a damaged store is set aside and a new one begun`(emptied: Bool) throws {
    let home = try home()
    let first = try RecordStore.open(home: home).incarnation
    let damage = Data(repeating: 0x5A, count: 20_000)
    try damage.write(to: URL(filePath: home.storePath))
    chmod(home.storePath, 0o600)
    let store = try RecordStore.open(home: home)
    let setAside = try #require(store.setAside)
    #expect(try Data(contentsOf: URL(filePath: setAside)) == damage)
    #expect(store.incarnation != first)
    #expect(try RecordStore.open(home: home).setAside == nil)
  }

  @Test func `a store of a newer program is refused and left as it is`() throws {
    let home = try home()
    _ = try RecordStore.open(home: home)
    do {
      let database = try Database(path: home.storePath, mode: .readWrite)
      try database.execute("INSERT INTO migration VALUES ('of a later year'); PRAGMA journal_mode = DELETE")
    }
    let before = try Data(contentsOf: URL(filePath: home.storePath))
    #expect(throws: StoreError.newerSchema) { try RecordStore.open(home: home) }
    #expect(try Data(contentsOf: URL(filePath: home.storePath)) == before)
  }

  @Test func `two transfers' stores are two, and go when told to`() throws {
    let home = try home()
    let path = home.transferFolder(token: "one")
    let one = try RecordStore.open(transferFolder: path, home: home).incarnation
    let two = try RecordStore.open(transferFolder: home.transferFolder(token: "two"), home: home).incarnation
    #expect(one != two)
    #expect(try RecordStore.open(transferFolder: path, home: home).incarnation == one)
    RecordStore.delete(transferFolder: path)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a temporary store goes with its last reference`() throws {
    let home = try home()
    do {
      let store = try RecordStore.openTemporary(in: home)
      #expect(FileManager.default.fileExists(atPath: store.path))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.data).isEmpty)
  }

  @Test func `a sealed field opens at its place only`() throws {
    let home = try home()
    let id = RecordID(high: 1, low: 99)
    let store = try RecordStore.open(home: home)
    let sealed = store.seal.seal(Array("hunter2".utf8), type: .passwords, record: id, field: 5)
    let again = try RecordStore.open(home: home)
    #expect(try again.seal.open(sealed, type: .passwords, record: id, field: 5) == Array("hunter2".utf8))
    #expect(throws: StoreError.unsealable) {
      try again.seal.open(sealed, type: .cards, record: id, field: 5)
    }
    #expect(throws: StoreError.unsealable) {
      try again.seal.open(sealed, type: .passwords, record: RecordID(high: 1, low: 98), field: 5)
    }
    #expect(throws: StoreError.unsealable) {
      try again.seal.open(sealed, type: .passwords, record: id, field: 6)
    }
    let other = try RecordStore.openTemporary(in: home)
    #expect(throws: StoreError.unsealable) {
      try other.seal.open(sealed, type: .passwords, record: id, field: 5)
    }
  }
}
