internal import BrowsingData
internal import Crypto

/// autofill-profiles.json while it is edited: addresses, and what else it holds, stay as they are.
struct FirefoxCardFile {
  private var document: JSONValue
  private var entries: [JSONValue]
  /// Milliseconds since 1970.
  private let now: Int64
  /// Whether an edit changed it.
  private(set) var hasChanged = false
  private static let recordVersion: Int64 = 3

  /// Reads the file of a profile; a profile without one has no card.
  init(profile: String, now: Timestamp) throws(ProfileError) {
    self.now = now.microseconds / 1_000
    let read = try JSONValue.read(profile + "/" + FirefoxCards.file)
    document = read ?? .object(["version": .integer(1), "addresses": .array([])])
    let version = document["version"]?.integer ?? 1
    guard version == 1 else {
      throw .unsupportedSchema(file: FirefoxCards.file, version: version, reason: "version 1 can be written")
    }
    entries = document["creditCards"]?.elements ?? []
  }

  /// Whether there is a card to open.
  var isEmpty: Bool { entries.allSatisfy { $0["deleted"]?.bool == true } }

  /// The bytes of the file as it shall be.
  var bytes: [UInt8] { document.setting("creditCards", .array(entries)).bytes }

  /// Every card that opens.
  func held(_ keys: FirefoxKeys, _ application: Application) -> [Held<PaymentCard>] {
    let reader = FirefoxCards(keys: keys, profile: nil, application: application)
    return entries.compactMap { entry in
      guard entry["deleted"]?.bool != true, let guid = entry["guid"]?.nonEmptyString,
        let card = try? reader.card(entry)
      else { return nil }
      return Held(guid, card)
    }
  }

  /// Carries out edits.
  mutating func apply(_ edits: ItemEdits<PaymentCard>, _ keys: FirefoxKeys) throws(ProfileError) -> EditResult {
    var result = EditResult()
    var places: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      if let guid = entry["guid"]?.string { places[guid] = index }
    }
    for held in edits.insertions {
      guard places[held.foreignID] == nil else {
        result.refused[held.foreignID] = "its id is taken"
        continue
      }
      var members: [String: JSONValue] = [
        "guid": .string(held.foreignID), "version": .integer(FirefoxCardFile.recordVersion),
        "timeCreated": .integer(now), "timesUsed": .integer(0), "timeLastUsed": .integer(0),
      ]
      try write(held.item, into: &members, keys, isNewNumber: true)
      entries.append(.object(members))
      hasChanged = true
    }
    for held in edits.updates {
      guard let place = places[held.foreignID] else {
        result.refused[held.foreignID] = "it is no longer there"
        continue
      }
      let known = try? FirefoxCards(keys: keys, profile: nil, application: Application(id: "", name: ""))
        .card(entries[place])
      var members = entries[place].members
      try write(held.item, into: &members, keys, isNewNumber: known?.number != held.item.number)
      entries[place] = .object(members)
      hasChanged = true
    }
    if !edits.removals.isEmpty { remove(edits.removals) }
    return result
  }

  private mutating func remove(_ guids: Set<String>) {
    entries = entries.compactMap { entry in
      guard let guid = entry["guid"]?.string, guids.contains(guid), entry["deleted"]?.bool != true else { return entry }
      hasChanged = true
      guard let sync = entry["_sync"] else { return nil }
      // Sync must tell other devices.
      return .object([
        "guid": .string(guid), "timeLastModified": .integer(now), "deleted": .bool(true),
        "_sync": sync.setting("changeCounter", .integer((sync["changeCounter"]?.integer ?? 0) &+ 1)),
      ])
    }
  }

  private func write(
    _ card: PaymentCard, into members: inout [String: JSONValue], _ keys: FirefoxKeys, isNewNumber: Bool
  ) throws(ProfileError) {
    if isNewNumber {
      let sealed: String?
      do { sealed = try keys.sealCardNumber(card.number) } catch { sealed = nil }
      guard let sealed else { throw .unwritable(file: FirefoxCards.file, reason: "a card could not be encrypted") }
      let shown = String(card.number.suffix(4))
      members["cc-number-encrypted"] = .string(sealed)
      members["cc-number"] = .string(String(repeating: "•", count: max(0, card.number.count - 4)) + shown)
      members["cc-type"] = FirefoxCardFile.network(card.number).map { .string($0) }
    }
    if let holder = card.holder {
      members["cc-name"] = .string(holder)
      let parts = FirefoxCardFile.nameParts(holder)
      members["cc-given-name"] = .string(parts.given)
      members["cc-additional-name"] = .string(parts.additional)
      members["cc-family-name"] = .string(parts.family)
    }
    if let month = card.expirationMonth { members["cc-exp-month"] = .integer(Int64(month)) }
    if let year = card.expirationYear { members["cc-exp-year"] = .integer(Int64(year)) }
    if let month = card.expirationMonth, let year = card.expirationYear {
      members["cc-exp"] = .string("\(year)-" + (month < 10 ? "0" : "") + "\(month)")
    }
    if let used = card.lastUsedAt { members["timeLastUsed"] = .integer(used.microseconds / 1_000) }
    members["timeLastModified"] = .integer(now)
    if let sync = members["_sync"] {
      members["_sync"] = sync.setting("changeCounter", .integer((sync["changeCounter"]?.integer ?? 0) &+ 1))
    }
  }

  /// As Firefox divides a name: the last word is the family's; without spaces the first character of a Chinese, Japanese
  /// or Korean one.
  private static func nameParts(_ name: String) -> (given: String, additional: String, family: String) {
    let words = name.split(separator: " ").map(String.init)
    guard words.count > 1 else {
      let isEastern = name.unicodeScalars.allSatisfy {
        (0x3040...0x30FF).contains($0.value) || (0x3400...0x9FFF).contains($0.value)
          || (0xAC00...0xD7AF).contains($0.value)
      }
      guard isEastern, name.count > 1 else { return (words.first ?? "", "", "") }
      return (String(name.dropFirst()), "", String(name.prefix(1)))
    }
    return (words[0], words[1..<(words.count - 1)].joined(separator: " "), words[words.count - 1])
  }

  /// Firefox's word for whose card it is, by the first digits.
  private static func network(_ number: String) -> String? {
    func starts(_ digits: Int, _ range: ClosedRange<Int>) -> Bool {
      Int(number.prefix(digits)).map { range.contains($0) } ?? false
    }
    let networks: [(String, [(Int, ClosedRange<Int>)])] = [
      ("amex", [(2, 34...34), (2, 37...37)]),
      ("diners", [(3, 300...305), (4, 3095...3095), (2, 36...36), (2, 38...39)]),
      ("jcb", [(4, 3528...3589)]), ("mir", [(4, 2200...2204)]),
      ("discover", [(4, 6011...6011), (3, 644...649), (2, 65...65)]), ("unionpay", [(2, 62...62), (2, 81...81)]),
      ("mastercard", [(2, 51...55), (4, 2221...2720)]), ("visa", [(1, 4...4)]),
    ]
    return networks.first { $0.1.contains { starts($0.0, $0.1) } }?.0
  }

  /// A card as Firefox would hold it.
  static func fit(_ card: PaymentCard) -> Fitting<PaymentCard> {
    var result = card
    result.name = nil
    result.unknown = UnknownFields()
    result.lastUsedAt = card.lastUsedAt.map { Timestamp(microseconds: $0.microseconds / 1_000 * 1_000) }
    let losses = card.name?.isEmpty == false ? [FieldLoss("name", "a card of Firefox has no name of its own")] : []
    return .held(result, losses: losses)
  }
}
