/// Reads arguments into a target: options anywhere, `--x v` and `--x=v`, `--` before words that only look like options.
struct ArgumentParser<Target> {
  let parameters: [Parameter<Target>]

  /// Reads all arguments into the target.
  func parse(_ arguments: [String], into target: inout Target) throws(UsageError) {
    var words = arguments[...]
    var operands: [String] = []
    var seen: Set<String> = []
    while let word = words.popFirst() {
      if word == "--" {
        operands += words
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (name, attached) = ArgumentParser.split(word)
      guard let parameter = named(name) else { throw unknown(word) }
      if !parameter.isRepeated, parameter.shape != .flag, !seen.insert(parameter.name).inserted {
        throw UsageError("--\(parameter.name) can be given only once.")
      }
      try parameter.set(&target, value(of: parameter, attached, from: &words))
    }
    try assign(operands, into: &target)
  }

  /// The option and what stands behind its `=`.
  static func split(_ word: String) -> (name: String, attached: String?) {
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }

  /// The parameter of an option as it was typed.
  func named(_ word: String) -> Parameter<Target>? {
    let short = ["-h": "help", "-q": "quiet", "-v": "verbose", "-y": "yes"]
    let name = short[word] ?? (word.hasPrefix("--") ? String(word.dropFirst(2)) : "")
    return parameters.first { $0.shape != .operand && $0.name == name }
  }

  private func value(
    of parameter: Parameter<Target>, _ attached: String?, from words: inout ArraySlice<String>
  ) throws(UsageError) -> String? {
    switch parameter.shape {
    case .flag:
      if attached != nil { throw UsageError("--\(parameter.name) takes no value.") }
      return nil
    case .optionalValue:
      if attached != nil { return attached }
      guard let next = words.first, !next.hasPrefix("-"), parameter.fits(next) else { return nil }
      return words.popFirst()
    case .value, .operand:
      if let attached { return attached }
      guard let next = words.popFirst(), !next.hasPrefix("--") else {
        throw UsageError("--\(parameter.name) needs a value: \(parameter.valueName).")
      }
      return next
    }
  }

  private func assign(_ operands: [String], into target: inout Target) throws(UsageError) {
    var rest = operands[...]
    for parameter in parameters where parameter.shape == .operand {
      if parameter.isRequired, rest.isEmpty { throw UsageError("\(parameter.name) is missing.") }
      while let word = rest.first {
        try parameter.set(&target, word)
        rest.removeFirst()
        if !parameter.isRepeated { break }
      }
    }
    if let word = rest.first { throw UsageError("\(quoted(word)) is one word too many.") }
  }

  private func unknown(_ word: String) -> UsageError {
    let name = ArgumentParser.split(word).name
    let names = parameters.filter { $0.shape != .operand }.map { "--\($0.name)" }
    return UsageError("There is no option \(quoted(name)).\(suggestion(for: name, among: names))")
  }
}
