internal import BrowsingData

/// The values of the attributes of the tag that was opened last. The first of a name counts.
extension HTMLTokenizer {
  /// More attributes of other programs than these are not kept, nor longer ones.
  private static let maximumKept = 64
  private static let maximumKeptBytes = 1 << 16

  /// The value as it stands.
  @inline(__always)
  func range(_ name: NetscapeAttribute) -> Range<Int>? {
    for attribute in attributes where attribute.known == name { return attribute.value }
    return nil
  }

  /// The value, references undone, blanks around it gone; nil when it is absent or empty.
  func value(_ name: NetscapeAttribute) -> String? {
    guard let range = range(name) else { return nil }
    return text(bytes.trimmed(range))
  }

  /// Whether a mark such as `PERSONAL_TOOLBAR_FOLDER="true"` is set.
  func isSet(_ name: NetscapeAttribute) -> Bool {
    guard let range = range(name) else { return false }
    return !bytes.isWord(range, "false")
  }

  /// A time; nil when it is unknown. `isImplausible` is set when it is none in any unit.
  func time(_ name: NetscapeAttribute, _ isImplausible: inout Bool) -> Timestamp? {
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
  func tags() -> [String] {
    guard let list = value(.tags) else { return [] }
    var tags: [String] = []
    var seen: Set<String> = []
    for part in list.utf8.split(separator: UInt8(ascii: ",")) {
      let bytes = Array(part)
      let tag = bytes.text(bytes.trimmed(0..<bytes.count))
      if !tag.isEmpty, seen.insert(tag).inserted { tags.append(tag) }
    }
    return tags
  }

  /// What other programs wrote, verbatim; nil when it was too much to keep all of it.
  func others(ofLink: Bool) -> [NamedValue]? {
    var kept: [NamedValue] = []
    var size = 0
    var names: Set<String> = []
    for attribute in attributes where !(ofLink ? attribute.known.isOfLink : attribute.known.isOfFolder) {
      // Safari writes it on every folder: it says nothing of this one.
      if attribute.known == .folded, attribute.value.isEmpty, !ofLink, range(.addDate) == nil { continue }
      let name = bytes.text(attribute.name)
      guard names.insert(name.lowercased()).inserted else { continue }
      size += attribute.name.count + attribute.value.count
      guard kept.count < HTMLTokenizer.maximumKept, size <= HTMLTokenizer.maximumKeptBytes else { return nil }
      kept.append(NamedValue(name: name, value: text(attribute.value) ?? ""))
    }
    return kept
  }

  private func text(_ range: Range<Int>) -> String? {
    if range.isEmpty { return nil }
    if bytes.firstIndex(of: UInt8(ascii: "&"), from: range.lowerBound, to: range.upperBound) == nil {
      return bytes.text(range)
    }
    var undone: [UInt8] = []
    undone.reserveCapacity(range.count)
    CharacterReferences.append(bytes, range, inAttribute: true, to: &undone)
    return undone.text(0..<undone.count)
  }
}
