internal import BrowsingData

/// Decides what of items that come a profile is to take: one with the same key is there already, and only what it lacks
/// is filled in. Only decides.
struct ItemDelivery<Item: Hashable & Sendable> {
  /// How one met the profile.
  enum Outcome: Hashable {
    case added
    case changed
    case unchanged
  }

  private let key: (Item) -> String
  /// The known one with what it lacks of the incoming one.
  private let filled: (_ known: Item, _ incoming: Item) -> Item
  private var places: [String: Held<Item>] = [:]
  private var added: [String: Int] = [:]
  private var used: Set<String> = []
  private(set) var edits = ItemEdits<Item>()

  /// Over what a profile holds.
  init(_ held: [Held<Item>], key: @escaping (Item) -> String, filled: @escaping (Item, Item) -> Item) {
    self.key = key
    self.filled = filled
    for one in held {
      used.insert(one.foreignID)
      if places[key(one.item)] == nil { places[key(one.item)] = one }
    }
  }

  /// Decides on one, as the profile would hold it. `foreignID` gives the id for a further attempt.
  mutating func take(_ item: Item, foreignID: (Int) -> String) -> Outcome {
    let key = key(item)
    if let place = added[key] {
      edits.insertions[place].item = filled(edits.insertions[place].item, item)
      return .unchanged
    }
    guard let known = places[key] else {
      var number = 0
      var foreign = foreignID(number)
      while !used.insert(foreign).inserted {
        number += 1
        foreign = foreignID(number)
      }
      added[key] = edits.insertions.count
      edits.insertions.append(Held(foreign, item))
      return .added
    }
    let target = filled(known.item, item)
    guard target != known.item else { return .unchanged }
    places[key]?.item = target
    edits.updates.removeAll { $0.foreignID == known.foreignID }
    edits.updates.append(Held(known.foreignID, target))
    return .changed
  }
}

extension ItemDelivery<PaymentCard> {
  /// Cards are told apart by their numbers.
  init(cards held: [Held<PaymentCard>]) {
    self.init(held, key: \.number) { known, incoming in
      var card = known
      if card.holder?.isEmpty ?? true { card.holder = incoming.holder ?? card.holder }
      if card.expirationMonth == nil, card.expirationYear == nil {
        card.expirationMonth = incoming.expirationMonth
        card.expirationYear = incoming.expirationYear
      }
      if card.name?.isEmpty ?? true { card.name = incoming.name ?? card.name }
      return card
    }
  }
}

extension ItemDelivery<ReadingListItem> {
  /// Items are told apart by their addresses.
  init(readingList held: [Held<ReadingListItem>]) {
    self.init(held, key: \.url) { known, _ in known }
  }
}
