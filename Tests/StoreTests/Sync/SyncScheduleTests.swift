import BrowsingData
import Store
import TestSupport
import Testing

/// Random schedules over real stores on disk: edits, contacts that break anywhere, restarts, restored backups.
@Suite struct SyncScheduleTests {
  static let schedules = 200

  @Test(arguments: 0..<4) func `stores on disk end equal whatever happens`(part: Int) throws {
    for seed in 0..<SyncScheduleTests.schedules where seed % 4 == part {
      do {
        try SyncSchedule(seed: UInt64(seed)).run()
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}

/// One schedule.
private final class SyncSchedule {
  private var random: StoreRandom
  private let fixture: SyncFixture
  private let count: Int
  private var edges: [(Int, Int)] = []
  private var backups: [Int: (path: String, dataOnly: Bool)] = [:]

  struct Broken: Error { var what: String }

  init(seed: UInt64) throws {
    random = StoreRandom(seed: seed &+ 77)
    count = 2 + random.below(3)
    fixture = try SyncFixture(count)
    for index in 1..<count { edges.append((index, random.below(index))) }
    if count > 2, random.below(2) == 0 { edges.append((count - 1, (edges[count - 2].1 + 1) % (count - 1))) }
  }

  func run() throws {
    for _ in 0..<8 + random.below(20) {
      fixture.now += Int64(random.below(50))
      let index = random.below(count)
      switch random.below(20) {
      case 0..<9: try edit(index)
      case 9: try fixture.take(index, .history(visits()))
      case 10: try forget(index)
      case 11: try fixture.reopen(index)
      case 12 where backups[index] == nil:
        let dataOnly = random.below(2) == 0
        let path = fixture.directory.file("backup\(index)")
        try fixture.copyHome(index, to: path, dataOnly: dataOnly)
        backups[index] = (path, dataOnly)
      case 13:
        guard let backup = backups.removeValue(forKey: index) else { continue }
        try fixture.restoreHome(index, from: backup.path, dataOnly: backup.dataOnly)
      case 14: _ = try? fixture.stores[index].undo()
      default:
        let (one, two) = edges[random.below(edges.count)]
        let cut = random.below(2) == 0 ? random.below(9) : nil
        do {
          try fixture.sync(one, two, force: true, records: 1 + random.below(5), cut: cut)
        } catch is SyncLink.Cut {
          if random.below(2) == 0 { try fixture.reopen(random.below(2) == 0 ? one : two) }
        } catch StoreError.wrongCursor {}
      }
    }
    try settle()
    let differences = try fixture.differences()
    guard differences.isEmpty else { throw Broken(what: differences.joined(separator: ", ")) }
  }

  private func settle() throws {
    for _ in 0..<4 * count + 8 {
      fixture.rows = 0
      var isInStep = true
      for (one, two) in edges {
        do {
          isInStep = try fixture.sync(one, two, force: true) == [.inStep, .inStep] && isInStep
        } catch StoreError.wrongCursor { isInStep = false }
      }
      if fixture.rows == 0, isInStep { return }
    }
    throw Broken(what: "the devices do not come to rest")
  }

  private func edit(_ index: Int) throws {
    let shown = try fixture.stores[index].shownBookmarks()
    var items: [RecordID] = []
    var folders = RecordID.roots.map(\.id)
    try shown.walk { bookmark in
      items.append(bookmark.id)
      if bookmark.kind == .folder { folders.append(bookmark.id) }
    }
    let folder = folders[random.below(folders.count)]
    try fixture.edit(index) { edits in
      switch items.isEmpty ? 0 : random.below(6) {
      case 0, 1:
        let kind: Bookmark.Kind = [.bookmark, .bookmark, .folder, .separator][random.below(4)]
        let id = RecordID(high: random.next() | 1 << 63, low: random.next())
        let title = kind == .separator ? "" : "t\(random.below(3))"
        let url = kind == .bookmark ? "http://\(random.below(3)).test/" : nil
        try edits.add(
          [Bookmark(id: id, kind: kind, parent: .other, position: 0, title: title, url: url)], into: folder,
          at: random.below((shown.children(of: folder)?.count ?? 0) + 1))
      case 2, 3:
        let title = "t\(random.below(3))"
        try edits.update(bookmark: items[random.below(items.count)]) { bookmark in
          if bookmark.kind != .separator { bookmark.title = title }
        }
      case 4:
        do {
          try edits.move(bookmark: items[random.below(items.count)], into: folder, at: random.below(3))
        } catch StoreError.noSuchRecord {}
      default: try edits.delete(bookmark: items[random.below(items.count)])
      }
    }
    guard random.below(3) == 0 else { return }
    try fixture.take(index, .logins(randomLogins(seed: random.next() % 5, count: 3)))
  }

  private func visits() -> [HistoryVisit] {
    (0..<1 + random.below(6)).map { _ in
      var visit = HistoryVisit(
        url: "http://h\(random.below(3)).test/\(random.below(3))", title: "t\(random.below(4))",
        visitedAt: Timestamp(microseconds: 1_600_000_000_000_000 + Int64(random.below(40))))
      if random.below(3) == 0 {
        visit.referrer = HistoryVisit.Link(
          url: "http://h\(random.below(3)).test/\(random.below(3))",
          visitedAt: Timestamp(microseconds: visit.visitedAt.microseconds - Int64(random.below(9))))
      }
      return visit
    }
  }

  private func forget(_ index: Int) throws {
    let from = 1_600_000_000_000_000 + Int64(random.below(40))
    let rule: ForgetRule =
      switch random.below(3) {
      case 0: ForgetRule(.all, from: from, to: from + 3)
      case 1: ForgetRule(.host, "h\(random.below(3)).test", from: from, to: from + 9)
      default: ForgetRule(.url, "http://h\(random.below(3)).test/\(random.below(3))", from: from, to: from + 9)
      }
    _ = try fixture.stores[index].forget([rule], label: "test", now: fixture.time)
  }
}
