import BrowsingData
import Foundation
import Merge
import Testing

/// Schedules that the model of the design in Python went through: the same steps end in the same states and the same tree.
@Suite struct TraceTests {
  @Test func `two hundred traces of the model end in the same states and trees`() throws {
    let path = try #require(Bundle.module.url(forResource: "traces", withExtension: "jsonl", subdirectory: "Traces"))
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 200)
    var circles = 0
    for line in lines {
      let trace = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let replay = Replay(trace)
      try replay.run()
      #expect(replay.stores.allSatisfy { $0.records.count == replay.expected.count }, "seed \(replay.seed)")
      for store in replay.stores {
        for (id, record) in replay.expected {
          let state = try #require(store.records[Replay.id(id)])
          #expect(try Replay.text(state) == Replay.text(record), "seed \(replay.seed), record \(id)")
        }
        let tree = replay.tree(store.records)
        circles += tree.repairs.count
        #expect(Replay.shape(tree) == Replay.shape(trace["view"] as! [Any]), "seed \(replay.seed)")
      }
    }
    #expect(circles > 0)
  }
}

/// Does the steps of one trace again.
private final class Replay {
  struct Store {
    var records: [RecordID: RecordState] = [:]
  }
  struct Unreadable: Error {}

  let seed: Int
  var stores: [Store]
  let expected: [String: Any]
  private let steps: [[Any]]
  private var saved: [Int: Store] = [:]

  init(_ trace: [String: Any]) {
    seed = trace["seed"] as! Int
    stores = Array(repeating: Store(), count: trace["stores"] as! Int)
    steps = trace["steps"] as! [[Any]]
    expected = trace["records"] as! [String: Any]
  }

  func run() throws {
    for step in steps {
      let store = step[1] as! Int
      switch step[0] as! String {
      case "e":
        let dot = Dot(replica: Replay.name([store, step[3]]), counter: Replay.number(step[6]))
        _ = stores[store].records[Replay.id(step[2]), default: RecordState()].write(
          Replay.changes(step[5] as! [String: Any]), dot: dot, now: Replay.number(step[4]))
      case "d": delete(Replay.id(step[2]), in: store)
      case "p":
        for id in (step[3] as! [Any]).map(Replay.id) {
          guard let theirs = stores[step[2] as! Int].records[id] else { throw Unreadable() }
          stores[store].records[id] = stores[store].records[id].map { $0.joined(with: theirs) } ?? theirs
        }
      case "s": saved[store] = stores[store]
      case "r": stores[store] = saved.removeValue(forKey: store) ?? Store()
      default: throw Unreadable()
      }
    }
  }

  private func delete(_ id: RecordID, in store: Int) {
    let fields = stores[store].records[id]?.fields ?? []
    let place = fields.first { $0.number == Field.place }
    let isFolder = fields.first { $0.number == Field.kind }?.value == Array("f".utf8)
    stores[store].records[id]?.delete(
      grave: isFolder ? place.map { Grave(stamp: $0.stamp, parent: Place($0.value!).parent) } : nil)
  }

  func tree(_ records: [RecordID: RecordState]) -> BookmarkTree {
    var nodes: [BookmarkNode] = []
    var graves: [RecordID: RecordID] = [:]
    for (id, state) in records {
      guard state.isAlive else {
        if let grave = state.grave { graves[id] = grave.parent }
        continue
      }
      let fields = Dictionary(uniqueKeysWithValues: state.fields.map { ($0.number, $0) })
      let text = [Field.kind, Field.title, Field.url].map { String(decoding: fields[$0]!.value!, as: UTF8.self) }
      let place = Place(fields[Field.place]!.value!)
      nodes.append(
        BookmarkNode(
          id: id, parent: place.parent, previousParent: place.previous,
          kind: ["b": .bookmark, "f": .folder, "s": .separator][text[0]]!,
          content: ContentKey(high: Replay.short(text[0] + text[2]), low: Replay.short(text[1])),
          occurrence: Int(String(decoding: fields[Field.occurrence]!.value!, as: UTF8.self))!, order: place.order,
          placed: fields[Field.place]!.stamp))
    }
    return BookmarkTree(nodes, graves: graves)
  }

  // MARK: - As text, to be compared

  static func text(_ state: RecordState) -> String {
    let versions = state.versions.map { version in
      let fields = version.fields.map { "\($0.number)=\(hexadecimal($0.value ?? []))@\(text($0.stamp))" }
      return "\(text(version.dot)) \(fields.joined(separator: " "))"
    }
    let context = state.context.entries.map { text(Dot(replica: $0.replica, counter: $0.counter)) }
    let grave = state.grave.map { "\(text($0.stamp)) \($0.parent)" } ?? "-"
    return "\(versions.joined(separator: " | ")) / \(context) / \(grave) / \(state.newest)"
  }

  static func text(_ record: Any) throws -> String {
    guard let record = record as? [String: Any] else { throw Unreadable() }
    var state = RecordState()
    for version in record["v"] as! [[Any]] {
      let stamps = version[2] as! [String: [Any]]
      let values = changes(version[3] as! [String: Any])
      let fields = values.map { value in
        let name = numbers.first { $0.value == value.number }!.key
        return StampedField(number: value.number, stamp: stamp(stamps[name]!), value: value.value)
      }
      state.versions.append(
        RecordState.Version(
          dot: Dot(replica: name(version[0]), counter: number(version[1])), seen: VersionVector(), fields: fields))
    }
    state.context = VersionVector(
      (record["c"] as! [[Any]]).map { VersionVector.Entry(replica: name($0[0]), counter: number($0[1])) })
    if let grave = record["g"] as? [Any] {
      state.grave = Grave(stamp: stamp(grave[0] as! [Any]), parent: id(grave[1]))
    }
    state.newest = number(record["h"]!)
    return text(state)
  }

  private static func text(_ dot: Dot) -> String { "\(dot.replica.high).\(dot.replica.low):\(dot.counter)" }
  private static func text(_ stamp: Stamp) -> String { "\(stamp.time),\(text(stamp.dot))" }

  static func shape(_ tree: BookmarkTree) -> String {
    func items(_ range: Range<Int>) -> String {
      range.map { item in
        let members = tree.members(item).sorted().map { hexadecimal($0.bytes.prefix(8)) }
        return "\(hexadecimal(tree.node(item).id.bytes.prefix(8)))\(members)(\(items(tree.view.items[item].children)))"
      }.joined(separator: " ")
    }
    return tree.view.roots.map(items).joined(separator: " / ")
  }

  static func shape(_ roots: [Any]) -> String {
    func items(_ list: Any) -> String {
      (list as! [[Any]]).map { "\($0[0] as! String)\($0[1] as! [String])(\(items($0[2])))" }.joined(separator: " ")
    }
    return roots.map(items).joined(separator: " / ")
  }

  // MARK: - From JSON

  private static let numbers = [
    "kind": Field.kind, "title": Field.title, "url": Field.url, "place": Field.place, "occ": Field.occurrence,
  ]

  static func changes(_ fields: [String: Any]) -> [FieldChange] {
    fields.map { name, value in
      let bytes: [UInt8]
      if let place = value as? [Any] {
        let previous = place[2] is NSNull ? nil : id(place[2])
        bytes = Place(id(place[0]), OrderKey(hex(place[1] as! String))!, previous).bytes
      } else {
        bytes = Array("\(value)".utf8)
      }
      return FieldChange(number: numbers[name]!, value: bytes)
    }.sorted { $0.number < $1.number }
  }

  static func id(_ value: Any) -> RecordID {
    if let root = value as? Int { return RecordID(high: 0, low: UInt64(root)) }
    return RecordID(high: UInt64(value as! String, radix: 16)!, low: 0)
  }

  static func name(_ value: Any) -> RecordID {
    let parts = value as! [Any]
    return RecordID(high: UInt64(parts[0] as! Int) + 1, low: UInt64(parts[1] as! Int))
  }

  static func number(_ value: Any) -> Int64 { (value as! NSNumber).int64Value }

  private static func stamp(_ value: [Any]) -> Stamp {
    Stamp(time: number(value[0]), dot: Dot(replica: name(value[1]), counter: number(value[2])))
  }

  private static func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16)! }
  }

  private static func short(_ text: String) -> UInt64 { text.utf8.reduce(1) { $0 << 8 | UInt64($1) } }
}
