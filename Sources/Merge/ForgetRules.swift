package import BrowsingData

/// Rules by which visits are forgotten, found quickly. Which visits remain does not depend on the order in which visits
/// and rules come.
package struct ForgetRules: Sendable {
  private var all = ForgottenTimes()
  private var hosts: [String: ForgottenTimes] = [:]
  private var urls: [String: ForgottenTimes] = [:]

  /// Of these rules, in any order.
  package init(_ rules: some Sequence<ForgetRule>) {
    for rule in rules {
      switch rule.scope {
      case .all: all.add(rule.from, rule.to)
      case .host: hosts[rule.text, default: ForgottenTimes()].add(rule.from, rule.to)
      case .url: urls[rule.text, default: ForgottenTimes()].add(rule.from, rule.to)
      }
    }
    all.settle()
    hosts = hosts.mapValues { $0.settled }
    urls = urls.mapValues { $0.settled }
  }

  /// Whether there are none.
  package var isEmpty: Bool { all.isEmpty && hosts.isEmpty && urls.isEmpty }

  /// When visits of an address are forgotten.
  package func times(of url: String) -> ForgottenTimes {
    var times = all
    if !urls.isEmpty, let ranges = urls[url] { times.add(ranges) }
    if !hosts.isEmpty, let host = ForgetRule.host(of: url), let ranges = hosts[host] { times.add(ranges) }
    return times
  }

  /// The addresses that are named; nil where rules go for others, too.
  package var onlyURLs: [String]? { all.isEmpty && hosts.isEmpty ? Array(urls.keys) : nil }
}

/// Times, each between a start and an end that is no part of it.
package struct ForgottenTimes: Sendable {
  private var ranges: [(from: Int64, to: Int64)] = []

  /// Whether there are none.
  package var isEmpty: Bool { ranges.isEmpty }

  fileprivate mutating func add(_ others: ForgottenTimes) {
    if isEmpty {
      self = others
    } else {
      ranges += others.ranges
      settle()
    }
  }

  fileprivate mutating func add(_ from: Int64, _ to: Int64) {
    if from < to { ranges.append((from, to)) }
  }

  fileprivate var settled: ForgottenTimes {
    guard ranges.count > 1 else { return self }
    var times = self
    times.settle()
    return times
  }

  /// Sorts them and makes one of those that touch.
  fileprivate mutating func settle() {
    ranges.sort { $0.from < $1.from }
    var settled: [(from: Int64, to: Int64)] = []
    for range in ranges {
      if let last = settled.last, range.from <= last.to {
        settled[settled.count - 1].to = max(last.to, range.to)
      } else {
        settled.append(range)
      }
    }
    ranges = settled
  }

  /// Whether a time is one of them.
  package func contains(_ time: Int64) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].from <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 && time < ranges[low - 1].to
  }
}

extension ForgetRule {
  /// The rule as it is stored: a host in lower case, no text for all pages. Nil for one that forgets nothing.
  package var normal: ForgetRule? {
    var rule = self
    guard from < to, text.utf8.count <= 128 * 1_024 else { return nil }
    switch scope {
    case .all: rule.text = ""
    case .host:
      rule.text = String(decoding: text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
      guard !rule.text.isEmpty else { return nil }
    case .url: guard !text.isEmpty else { return nil }
    }
    return rule
  }

  /// The host of an address in lower case, without port and user; nil where it has none.
  package static func host(of url: String) -> String? {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: 58) else { return nil }
    var rest = bytes[bytes.index(after: colon)...]
    guard rest.starts(with: [47, 47]) else { return nil }
    rest = rest.dropFirst(2)
    let end = rest.firstIndex { $0 == 47 || $0 == 63 || $0 == 35 || $0 == 92 } ?? rest.endIndex
    var host = rest[..<end]
    if let at = host.lastIndex(of: 64) { host = host[host.index(after: at)...] }
    // A port is behind the last colon; the colons of an IPv6 address are in brackets.
    if host.first == 91 {
      if let bracket = host.firstIndex(of: 93) { host = host[...bracket] }
    } else if let port = host.firstIndex(of: 58) {
      host = host[..<port]
    }
    guard !host.isEmpty else { return nil }
    return String(decoding: host.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
