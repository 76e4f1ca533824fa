package import BrowsingData

/// How the fields of a login change when another one is found to be it. No value is lost: of two different secrets one
/// is shown and the other is given back to be listed. Empty incoming fields say nothing.
package enum LoginMerge {
  /// A field of which two values are known.
  package enum Field: Sendable, Hashable {
    /// The password.
    case password
    /// The notes.
    case notes
    /// The `otpauth:` address of one-time codes.
    case otpauth
  }

  /// A value that is not shown.
  package struct Loser: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The field it is a value of.
    package var field: Field
    /// The value: a secret.
    package var value: String
    /// The field only.
    package var description: String { "\(field) •••" }
    /// The field only: a dump shows no secret.
    package var customMirror: Mirror { Mirror(self, children: ["field": field]) }
  }

  /// How two logins of one origin, realm and user agree in what both of them have.
  package enum Agreement: Sendable, Hashable {
    /// In everything.
    case whole
    /// In everything but the password.
    case allButPassword
    /// In less.
    case partial
  }

  /// Compares what both have; times and counts of use do not matter.
  package static func agreement(_ incoming: Login, _ known: Login) -> Agreement {
    LoginFacts(incoming).agreement(with: LoginFacts(known))
  }

  /// The fields after the merge, and the values that are not shown.
  package static func merged(
    _ incoming: Login, over known: Login, _ rule: MergeRule
  ) -> (login: Login, losers: [Loser]) {
    guard rule != .exact else {
      var result = incoming
      result.id = known.id
      result.occurrence = known.occurrence
      return (result, [])
    }
    var result = known
    var losers: [Loser] = []
    mergePassword(incoming, known, &result, &losers)
    result.notes = mergeText(.notes, incoming.notes, known.notes, &losers)
    result.otpauth = mergeText(.otpauth, incoming.otpauth, known.otpauth, &losers)
    result.title = known.title?.isEmpty == false ? known.title : incoming.title ?? known.title
    result.formAction = known.formAction ?? incoming.formAction
    for url in [incoming.url] + incoming.urls where !url.isEmpty && url != known.url && !result.urls.contains(url) {
      result.urls.append(url)
    }
    result.dateCreated = known.dateCreated ?? incoming.dateCreated
    result.dateLastUsed = later(incoming.dateLastUsed, known.dateLastUsed, rule)
    if let times = incoming.timesUsed { result.timesUsed = max(times, known.timesUsed ?? times) }
    result.guid = known.guid ?? incoming.guid
    result.profile = known.profile ?? incoming.profile
    result.application = known.application ?? incoming.application
    result.unknown = taking(incoming.unknown, over: known.unknown, rule)
    return (result, losers)
  }

  private static func mergePassword(
    _ incoming: Login, _ known: Login, _ result: inout Login, _ losers: inout [Loser]
  ) {
    guard !incoming.password.isEmpty else { return }
    if known.password == incoming.password {
      result.datePasswordChanged = later(incoming.datePasswordChanged, known.datePasswordChanged, .update)
      return
    }
    var isNewer = known.password.isEmpty
    if let theirs = incoming.datePasswordChanged, let mine = known.datePasswordChanged, theirs > mine {
      isNewer = true
    }
    guard isNewer else {
      losers.append(Loser(field: .password, value: incoming.password))
      return
    }
    if !known.password.isEmpty { losers.append(Loser(field: .password, value: known.password)) }
    result.password = incoming.password
    result.datePasswordChanged = incoming.datePasswordChanged ?? known.datePasswordChanged
  }

  private static func mergeText(
    _ field: Field, _ incoming: String?, _ known: String?, _ losers: inout [Loser]
  ) -> String? {
    guard let incoming, !incoming.isEmpty, incoming != known else { return known }
    guard let known, !known.isEmpty else { return incoming }
    losers.append(Loser(field: field, value: incoming))
    return known
  }
}
