/// One flag, option or operand of a command, bound to a field of it.
struct Parameter<Target> {
  /// The long name without dashes, or an operand's name in capitals.
  let name: String
  let shape: ParameterShape
  /// What stands for the value in the usage line.
  let valueName: String
  let help: String
  /// May stand several times.
  let isRepeated: Bool
  /// Must stand at least once.
  let isRequired: Bool
  /// Whether the next word can be the optional value.
  let fits: (String) -> Bool
  let set: (inout Target, String?) throws(UsageError) -> Void

  /// As it stands in the usage line.
  var synopsis: String {
    let more = isRepeated ? "…" : ""
    return switch shape {
    case .flag: "[--\(name)]"
    case .value: "[--\(name) \(valueName)]\(more)"
    case .optionalValue: "[--\(name) [\(valueName)]]"
    case .operand: isRequired ? "\(name)\(more)" : "[\(name)]\(more)"
    }
  }

  /// As it stands in the list of options.
  var heading: String {
    switch shape {
    case .flag: "--\(name)"
    case .value: "--\(name) \(valueName)"
    case .optionalValue: "--\(name) [\(valueName)]"
    case .operand: name
    }
  }

  /// The same parameter of something that holds the target.
  func lifted<Outer>(to path: WritableKeyPath<Outer, Target>) -> Parameter<Outer> {
    Parameter<Outer>(
      name: name, shape: shape, valueName: valueName, help: help, isRepeated: isRepeated, isRequired: isRequired,
      fits: fits,
      set: { (outer: inout Outer, text: String?) throws(UsageError) in try set(&outer[keyPath: path], text) })
  }
}

extension Parameter {
  /// A flag: there or not.
  static func flag(_ name: String, _ field: WritableKeyPath<Target, Bool>, _ help: String) -> Parameter {
    Parameter(
      name: name, shape: .flag, valueName: "", help: help, isRepeated: false, isRequired: false,
      fits: { _ in false }, set: { target, _ in target[keyPath: field] = true })
  }

  /// An option with a value.
  static func option<Value: ArgumentValue>(
    _ name: String, _ valueName: String, _ field: WritableKeyPath<Target, Value?>, _ help: String
  ) -> Parameter {
    Parameter(
      name: name, shape: .value, valueName: valueName, help: help, isRepeated: false, isRequired: false,
      fits: { _ in true },
      set: { (target: inout Target, text: String?) throws(UsageError) in
        target[keyPath: field] = try Value.read(text ?? "", of: "--\(name)")
      })
  }

  /// An option that may stand several times.
  static func options<Value: ArgumentValue>(
    _ name: String, _ valueName: String, _ field: WritableKeyPath<Target, [Value]>, _ help: String
  ) -> Parameter {
    Parameter(
      name: name, shape: .value, valueName: valueName, help: help, isRepeated: true, isRequired: false,
      fits: { _ in true },
      set: { (target: inout Target, text: String?) throws(UsageError) in
        target[keyPath: field].append(try Value.read(text ?? "", of: "--\(name)"))
      })
  }

  /// An option whose value may be left out; then the field is "".
  static func option(
    _ name: String, optional valueName: String, _ field: WritableKeyPath<Target, String?>, _ help: String,
    fits: @escaping (String) -> Bool
  ) -> Parameter {
    Parameter(
      name: name, shape: .optionalValue, valueName: valueName, help: help, isRepeated: false, isRequired: false,
      fits: fits, set: { target, text in target[keyPath: field] = text ?? "" })
  }

  /// A word by its place, which may be left out.
  static func operand<Value: ArgumentValue>(
    _ name: String, _ field: WritableKeyPath<Target, Value?>, _ help: String, required: Bool = false
  ) -> Parameter {
    Parameter(
      name: name, shape: .operand, valueName: name, help: help, isRepeated: false, isRequired: required,
      fits: { _ in true },
      set: { (target: inout Target, text: String?) throws(UsageError) in
        target[keyPath: field] = try Value.read(text ?? "", of: name)
      })
  }

  /// All further words.
  static func operands<Value: ArgumentValue>(
    _ name: String, _ field: WritableKeyPath<Target, [Value]>, _ help: String, required: Bool = false
  ) -> Parameter {
    Parameter(
      name: name, shape: .operand, valueName: name, help: help, isRepeated: true, isRequired: required,
      fits: { _ in true },
      set: { (target: inout Target, text: String?) throws(UsageError) in
        target[keyPath: field].append(try Value.read(text ?? "", of: name))
      })
  }
}

/// What may follow the name of a parameter.
enum ParameterShape: Equatable {
  case flag
  case value
  /// A value only if the next word fits.
  case optionalValue
  case operand
}
