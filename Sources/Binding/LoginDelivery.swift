internal import BrowsingData
internal import Merge

/// Decides what of logins that come a profile is to take: one of the same site, realm and user is there already, and its
/// password stays, whatever the other one is. Only decides.
struct LoginDelivery {
  /// How one met the profile.
  enum Outcome: Hashable {
    case added
    case unchanged
    /// The profile has another password for it.
    case conflict
  }

  private var plan = LoginImportPlan()
  private var numbers = ContentNumbers()
  private let known = Known()
  private var used: Set<String> = []
  private(set) var edits = ItemEdits<Login>()

  /// A reference, so that the plan can look while it changes.
  private final class Known {
    var logins: [RecordID: Login] = [:]
  }

  /// Over what a profile holds.
  init(_ held: [Held<Login>]) {
    for one in held {
      used.insert(one.foreignID)
      plan.addExisting(one.item.id, key: numbers.key(of: one.item), occurrence: one.item.occurrence)
      known.logins[one.item.id] = LoginDelivery.comparable(one.item)
    }
  }

  /// Decides on one, as the profile would hold it. `foreignID` gives the id for a further attempt.
  mutating func take(_ login: Login, foreignID: (Int) -> String) -> Outcome {
    let came = LoginDelivery.comparable(login)
    let key = numbers.key(of: came)
    var id = login.id
    var attempt: UInt64 = 0
    while true {
      let decision = plan.take(id, key: key, occurrence: login.occurrence) { [known] other in
        known.logins[other].map { LoginMerge.agreement(came, $0) }
      }
      switch decision {
      case .matched(let local), .again(let local):
        return known.logins[plan.locals[local].id]?.password == came.password ? .unchanged : .conflict
      case .added(let local, _):
        known.logins[plan.locals[local].id] = came
        var number = 0
        var foreign = foreignID(number)
        while !used.insert(foreign).inserted {
          number += 1
          foreign = foreignID(number)
        }
        edits.insertions.append(Held(foreign, login))
        return .added
      case .idTaken:
        attempt += 1
        id = RecordID(high: login.id.high ^ attempt << 32, low: ~login.id.low)
      }
    }
  }

  /// Without what two profiles' equal logins differ in.
  private static func comparable(_ login: Login) -> Login {
    var login = login
    login.profile = nil
    return login
  }
}
