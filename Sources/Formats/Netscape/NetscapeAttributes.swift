internal import BrowsingData

/// The attributes of the tag that was read last, by name.
struct NetscapeAttributes {
  private let bytes: [UInt8]
  private let all: [HTMLTokenizer.Attribute]
  private var scratch: [UInt8] = []

  /// More attributes of other programs than these are not kept, nor longer ones.
  private static let maximumKept = 64
  private static let maximumKeptBytes = 1 << 16

  /// Of a tokenizer that has just opened a tag.
  init(_ tokenizer: borrowing HTMLTokenizer) {
    bytes = tokenizer.bytes
    all = tokenizer.attributes
  }

  /// The value of an attribute as it stands; the first one counts. The name is in lower case.
  func range(_ name: StaticString) -> Range<Int>? {
    for attribute in all where bytes.isWord(attribute.name, name) { return attribute.value }
    return nil
  }

  /// The value of an attribute, references undone, blanks around it gone; nil when it is absent or empty.
  mutating func value(_ name: StaticString) -> String? { range(name).flatMap { text(bytes.trimmed($0)) } }

  /// Whether a mark such as `PERSONAL_TOOLBAR_FOLDER="true"` is set.
  func isSet(_ name: StaticString) -> Bool {
    guard let range = range(name) else { return false }
    return !bytes.isWord(range, "false")
  }

  /// A time; nil when it is unknown. `isImplausible` is set when it is none in any unit.
  func time(_ name: StaticString, _ isImplausible: inout Bool) -> Timestamp? {
    guard let range = range(name) else { return nil }
    switch NetscapeDate.read(bytes, range) {
    case .time(let time): return time
    case .unknown: return nil
    case .implausible:
      isImplausible = true
      return nil
    }
  }

  /// The tags of a comma list: none empty, none twice, without blanks around.
  mutating func tags(_ name: StaticString) -> [String] {
    guard let list = value(name) else { return [] }
    var tags: [String] = []
    var seen: Set<String> = []
    for part in list.utf8.split(separator: UInt8(ascii: ",")) {
      let bytes = Array(part)
      let tag = bytes.text(bytes.trimmed(0..<bytes.count))
      if !tag.isEmpty, seen.insert(tag).inserted { tags.append(tag) }
    }
    return tags
  }

  /// Whether `known` are all there are.
  private func isKnown(_ attribute: HTMLTokenizer.Attribute, _ known: [StaticString]) -> Bool {
    known.contains { bytes.isWord(attribute.name, $0) }
  }

  /// What other programs wrote, verbatim; nil when it was too much to keep all of it.
  mutating func others(than known: [StaticString]) -> [NamedValue]? {
    var kept: [NamedValue] = []
    var size = 0
    var names: Set<String> = []
    for attribute in all where !isKnown(attribute, known) {
      let name = bytes.text(attribute.name)
      guard names.insert(name.lowercased()).inserted else { continue }
      size += attribute.name.count + attribute.value.count
      guard kept.count < NetscapeAttributes.maximumKept, size <= NetscapeAttributes.maximumKeptBytes else { return nil }
      kept.append(NamedValue(name: name, value: text(attribute.value) ?? ""))
    }
    return kept
  }

  private mutating func text(_ range: Range<Int>) -> String? {
    if range.isEmpty { return nil }
    if bytes.firstIndex(of: UInt8(ascii: "&"), from: range.lowerBound, to: range.upperBound) == nil {
      return bytes.text(range)
    }
    scratch.removeAll(keepingCapacity: true)
    CharacterReferences.append(bytes, range, inAttribute: true, to: &scratch)
    return String(decoding: scratch, as: UTF8.self)
  }
}
