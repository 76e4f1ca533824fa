internal import BrowsingData
internal import Foundation

/// An address as the source wrote it, and the nearest thing that Foundation takes for a URL.
struct Address {
  /// The exact text.
  let text: String
  /// Equal to the text wherever that is possible.
  let url: URL

  /// nil when no URL can be made of it.
  init?(_ text: String) {
    guard let url = URL(string: text, encodingInvalidCharacters: false) ?? URL(string: text) else { return nil }
    self.text = text
    self.url = url
  }
}

/// The browser that a record came from.
struct Source: Sendable {
  var identifier: String?
  var name: String?

  init(identifier: String?, name: String?) {
    self.identifier = identifier
    self.name = name
  }

  init(_ application: Application?, or other: Source) {
    identifier = application?.id ?? other.identifier
    name = application?.name ?? other.name
  }

  /// From what a program says of itself: `Name (identifier)`, or anything else.
  init(software: String) {
    guard software.hasSuffix(")"), let open = software.lastIndex(of: "(") else {
      self.init(identifier: nil, name: software.isEmpty ? nil : software)
      return
    }
    let name = software[..<open].trimmingCharacters(in: .whitespaces)
    self.init(identifier: String(software[software.index(after: open)...].dropLast()), name: name)
  }

  /// What `init(software:)` reads; short enough for a message.
  static func software(identifier: String, name: String) -> String {
    "\(cut(name, to: 100)) (\(cut(identifier, to: 120)))"
  }

  private static func cut(_ text: String, to bytes: Int) -> String {
    var result = text
    while result.utf8.count > bytes { result.removeLast() }
    return result
  }
}

extension Date {
  /// From a record's time.
  init(_ time: Timestamp) { self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000) }
}

extension Timestamp {
  /// To the nearest microsecond; nil when no record may have it.
  init?(_ date: Date) {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    guard let exact = Int64(exactly: microseconds) else { return nil }
    self.init(microseconds: exact)
    if !isPlausible { return nil }
  }
}
