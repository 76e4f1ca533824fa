import BrowsingData
import Store
import Testing

/// Values that a merge of two devices does not show.
@Suite struct SyncConflictTests {
  @Test func `two titles given at once are a conflict on both sides, and deciding on one decides on both`() throws {
    let fixture = try twoTitles()
    for index in 0...1 {
      let conflicts = try fixture.stores[index].conflicts()
      #expect(conflicts.map(\.field) == ["title"])
      #expect(Set([conflicts[0].value, conflicts[0].shown]) == ["one", "two"])
    }
    let other = try fixture.stores[0].conflicts()[0]
    try fixture.stores[0].resolveConflict(other.number, keepingShown: false, now: fixture.time)
    try fixture.sync(0, 1)
    for index in 0...1 {
      #expect(try fixture.stores[index].conflicts().isEmpty)
      #expect(try fixture.tree(index) == ["other \(other.value)"])
    }
    #expect(try fixture.differences() == [])
  }

  @Test func `saying that what is shown is right ends the conflict on both sides`() throws {
    let fixture = try twoTitles()
    let conflict = try fixture.stores[1].conflicts()[0]
    try fixture.stores[1].resolveConflict(conflict.number, keepingShown: true, now: fixture.time)
    try fixture.sync(0, 1)
    for index in 0...1 {
      #expect(try fixture.stores[index].conflicts().isEmpty)
      #expect(try fixture.tree(index) == ["other \(conflict.shown ?? "")"])
    }
  }

  @Test func `of two passwords the other stays readable, and equal ones are no conflict`() throws {
    let fixture = try SyncFixture(2)
    var login = randomLogins(seed: 1, count: 1)[0]
    login.password = "old"
    try fixture.take(0, .logins([login]))
    try fixture.sync(0, 1)
    let id = try #require(try fixture.all(0, .passwords)[0].id)
    for (index, password) in ["p0", "p1"].enumerated() {
      try fixture.edit(index) { edits in
        try edits.update(.passwords, id) { record in
          guard case .login(var login) = record else { return }
          login.password = password
          login.notes = "same"
          record = .login(login)
        }
      }
    }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    for index in 0...1 {
      let conflicts = try fixture.stores[index].conflicts()
      #expect(conflicts.map(\.field) == ["password"])
      #expect(Set([conflicts[0].value, conflicts[0].shown]) == ["p0", "p1"])
      #expect(!"\(conflicts[0])".contains("p0"))
    }
  }

  @Test func `an edit beats a deletion that had not seen it`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a", "b")))
    try fixture.sync(0, 1)
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a", 0)) { $0.title = "A" } }
    try fixture.edit(1) { edits in
      for title in ["a", "b"] { try edits.delete(bookmark: fixture.id(title, 1)) }
    }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    for index in 0...1 { #expect(try fixture.tree(index) == ["other A"]) }
  }

  @Test func `circles of two devices' moves are cut the same way on both`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/1", "G/2")))
    try fixture.sync(0, 1)
    try fixture.edit(0) { try $0.move(bookmark: fixture.id("F", 0), into: fixture.id("G", 0)) }
    try fixture.edit(1) { try $0.move(bookmark: fixture.id("G", 1), into: fixture.id("F", 1)) }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.tree(0) == fixture.tree(1))
    #expect(try fixture.tree(0).count == 4)
    // A later edit writes the repair, and nobody sees anything move.
    let before = try fixture.tree(0)
    let other = try fixture.id("1", 0)
    try fixture.edit(0) { try $0.move(bookmark: other, into: .menu) }
    try fixture.sync(0, 1)
    #expect(try fixture.tree(1) == fixture.tree(0))
    let rest = before.filter { !$0.hasSuffix("1") }
    #expect(try fixture.tree(0).filter { !$0.hasSuffix(" 1") } == rest)
  }

  @Test func `what was decided on and what entries changed is kept for 90 days`() throws {
    let fixture = try twoTitles()
    let conflict = try fixture.stores[0].conflicts()[0]
    try fixture.stores[0].resolveConflict(conflict.number, keepingShown: true, now: fixture.time)
    fixture.now += 89 * 86_400_000
    try fixture.take(0, .bookmarks(TreeBuilder.tree("x")))
    #expect(try fixture.stores[0].journal().allSatisfy { !$0.isPruned })
    fixture.now += 2 * 86_400_000
    try fixture.take(0, .bookmarks(TreeBuilder.tree("y")))
    let journal = try fixture.stores[0].journal()
    #expect(journal.prefix(2).allSatisfy { !$0.isPruned })
    #expect(journal.dropFirst(2).allSatisfy { $0.isPruned })
    #expect(throws: StoreError.noSuchEntry) { try fixture.stores[0].undo(entry: 1) }
  }

  private func twoTitles() throws -> SyncFixture {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    for (index, title) in ["one", "two"].enumerated() {
      try fixture.edit(index) { try $0.update(bookmark: fixture.id("a", index)) { $0.title = title } }
    }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    return fixture
  }
}
