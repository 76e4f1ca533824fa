internal import BrowsingData

/// How an incoming record changes the one it is.
package enum MergeRule: Sendable, Hashable {
  /// What the incoming one has and differs in is taken; what it lacks stays.
  case update
  /// Only what is missing is taken: the incoming one is older, or another program's.
  case fill
  /// The incoming one replaces all: it was brought by the same transfer and nobody has touched it since.
  case exact
}

/// The incoming value where there is one; with `fill` only where there was none.
func taking<Value>(_ incoming: Value?, over known: Value?, _ rule: MergeRule) -> Value? {
  switch rule {
  case .exact: incoming
  case .update: incoming ?? known
  case .fill: known ?? incoming
  }
}

/// The same for texts that are empty where there is none.
func taking(_ incoming: String, over known: String, _ rule: MergeRule) -> String {
  switch rule {
  case .exact: incoming
  case .update: incoming.isEmpty ? known : incoming
  case .fill: known.isEmpty ? incoming : known
  }
}

/// The later time; with `exact` the incoming one.
func later(_ incoming: Timestamp?, _ known: Timestamp?, _ rule: MergeRule) -> Timestamp? {
  guard rule != .exact, let incoming, let known else { return taking(incoming, over: known, rule) }
  return max(incoming, known)
}

/// Unknown fields of both; of one that both have, the incoming value unless it only fills.
func taking(_ incoming: UnknownFields, over known: UnknownFields, _ rule: MergeRule) -> UnknownFields {
  guard rule != .exact, !incoming.isEmpty else { return rule == .exact ? incoming : known }
  var values: [UInt64: [UInt8]] = [:]
  for field in known.fields { values[field.number] = field.value }
  for field in incoming.fields where rule == .update || values[field.number] == nil {
    values[field.number] = field.value
  }
  return UnknownFields(values.map { UnknownFields.Field(number: $0.key, value: $0.value) })
}
