import BrowsingData

/// What an argument can be read as.
protocol ArgumentValue {
  /// Reads one argument; `name` is how the message calls it.
  static func read(_ text: String, of name: String) throws(UsageError) -> Self
}

/// Wrong arguments: exit 64.
struct UsageError: Error, Equatable {
  /// One sentence.
  var message: String
  /// What to do; nil for the general advice.
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

extension String: ArgumentValue {
  static func read(_ text: String, of name: String) throws(UsageError) -> String {
    if text.isEmpty { throw UsageError("\(name) must not be empty.") }
    return text
  }
}

extension Int: ArgumentValue {
  static func read(_ text: String, of name: String) throws(UsageError) -> Int {
    guard let number = Int(text), number >= 0 else { throw UsageError("\(name) needs a number, not \(quoted(text)).") }
    return number
  }
}

extension DataType: ArgumentValue {
  static func read(_ text: String, of name: String) throws(UsageError) -> DataType {
    let words = DataType.stored.map(\.name)
    guard let type = DataType(name: text), type != .resources else {
      throw UsageError(
        "\(quoted(text)) is no type of records.\(suggestion(for: text, among: words)) Types: \(list(words)).")
    }
    return type
  }
}

extension DataTypes: ArgumentValue {
  static func read(_ text: String, of name: String) throws(UsageError) -> DataTypes {
    if text == "all" { return .all }
    var types: DataTypes = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(word)
      let words = DataType.stored.map(\.name) + ["all"]
      if word == "all" {
        types.formUnion(.all)
      } else if let type = DataType(name: word), type != .resources {
        types.insert(DataTypes(type))
      } else {
        throw UsageError(
          "\(name) needs types of records, not \(quoted(word)).\(suggestion(for: word, among: words)) "
            + "Types: \(list(words)); several with commas between.")
      }
    }
    return types
  }
}

/// An argument as messages show it.
func quoted(_ text: String) -> String { "‘\(visible(text))’" }

/// Words with commas between.
func list(_ words: [String]) -> String { words.joined(separator: ", ") }
