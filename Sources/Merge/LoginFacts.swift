package import BrowsingData

/// What logins are compared by, as numbers: kept at hand, many are compared without being read and unsealed again.
package struct LoginFacts: Sendable {
  private let password: Int
  private let others: [Int]

  /// Of a login. Absent and empty fields are 0.
  package init(_ login: Login) {
    func fact(_ value: String?) -> Int { value.map { $0.isEmpty ? 0 : $0.hashValue | 1 } ?? 0 }
    password = fact(login.password)
    others = [login.title, login.url, login.notes, login.otpauth, login.formAction, login.profile].map(fact)
  }

  /// Compares what both have.
  package func agreement(with known: LoginFacts) -> LoginMerge.Agreement {
    func agree(_ left: Int, _ right: Int) -> Bool { left == 0 || right == 0 || left == right }
    guard zip(others, known.others).allSatisfy(agree) else { return .partial }
    return agree(password, known.password) ? .whole : .allButPassword
  }
}
