import BrowsingData

/// One entry of `history` as it stands in the file; its texts are usable until the scanner's `endEntry`. A text that is ""
/// and a time that is 0 are absent.
struct SafariHistoryEntry {
  private var isObject = true
  private(set) var url = JSONScanner.Text()
  private(set) var title = JSONScanner.Text()
  private(set) var time: Int64 = 0
  private(set) var source = Hop()
  private(set) var destination = Hop()
  private(set) var loadFailed = false
  private(set) var httpGet = true
  /// Optional fields of the wrong type.
  private var wrongFields = 0
  private var count: Int64?
  private var otherCount: Int64?

  /// A neighbour in a redirect chain.
  struct Hop {
    fileprivate(set) var url = JSONScanner.Text()
    fileprivate(set) var time: Int64 = 0
    /// Whether both halves are there.
    var isWhole: Bool { !url.isEmpty && time != 0 }
    fileprivate var isHalf: Bool { url.isEmpty != (time == 0) }
  }

  /// `visit_count` is what Safari writes, `visits_count` what Apple documents. At least 1.
  var visitCount: Int { Int(max(1, count ?? otherCount ?? 1)) }

  /// How many optional fields are of no use.
  var oddFields: Int { wrongFields &+ (source.isHalf ? 1 : 0) &+ (destination.isHalf ? 1 : 0) }

  /// Why it is no visit; nil when it is one.
  var problem: String? {
    if !isObject { return "is no object" }
    if url.isEmpty { return "has no address" }
    if time == 0 { return "has no time" }
    return Timestamp(microseconds: time).isPlausible ? nil : "has a time before 1970 or after 2199"
  }

  /// A memory of what stands between the values of entries.
  typealias Shape = JSONShape<SafariHistoryField>

  /// Reads one value of the array, whatever it is; `problem` says whether it is a visit.
  @inline(__always)
  static func read(
    _ scanner: inout JSONScanner, _ shape: inout Shape
  ) throws(FormatError) -> SafariHistoryEntry {
    var entry = SafariHistoryEntry()
    if entry.takePlain(&scanner, shape) { return entry }
    return try SafariHistoryEntry(&scanner, &shape)
  }
}

// MARK: The general way

extension SafariHistoryEntry {
  @inline(never)
  private init(_ scanner: inout JSONScanner, _ shape: inout Shape) throws(FormatError) {
    isObject = try scanner.kind() == .object
    guard isObject else {
      try scanner.skipValue()
      return
    }
    try scanner.enterObject()
    var row = 0
    while true {
      let gap = try scanner.nextMember(row: row, &shape, key: SafariHistoryField.of)
      row = gap.row
      switch gap.key {
      case .url: url = try text(&scanner)
      case .title: title = try text(&scanner)
      case .time: time = try number64(&scanner) ?? 0
      case .visitCount: count = try number64(&scanner)
      case .visitsCount: otherCount = try number64(&scanner)
      case .sourceURL: source.url = try text(&scanner)
      case .sourceTime: source.time = try number64(&scanner) ?? 0
      case .destinationURL: destination.url = try text(&scanner)
      case .destinationTime: destination.time = try number64(&scanner) ?? 0
      case .loadFailure: loadFailed = try flag(&scanner) ?? false
      case .httpGet: httpGet = try flag(&scanner) ?? true
      case .unknown: try scanner.skipValue()
      case nil: return
      }
    }
  }

  private mutating func text(_ scanner: inout JSONScanner) throws(FormatError) -> JSONScanner.Text {
    if try scanner.isAtText() { return try scanner.text() }
    try passOdd(&scanner)
    return JSONScanner.Text()
  }

  private mutating func number64(_ scanner: inout JSONScanner) throws(FormatError) -> Int64? {
    if try scanner.isAtNumber() { return try scanner.integer() }
    try passOdd(&scanner)
    return nil
  }

  private mutating func flag(_ scanner: inout JSONScanner) throws(FormatError) -> Bool? {
    if try scanner.kind() == .bool { return try scanner.bool() }
    try passOdd(&scanner)
    return nil
  }

  /// Passes over a value of the wrong type; `null` is simply absent.
  private mutating func passOdd(_ scanner: inout JSONScanner) throws(FormatError) {
    if try scanner.kind() != .null { wrongFields &+= 1 }
    try scanner.skipValue()
  }
}

// MARK: The fast way

extension SafariHistoryEntry {
  /// Reads an entry that is like one before: known gaps, and values of the usual kinds, all in the window. False for any
  /// other one; nothing is taken then, and the general way decides. Nearly every entry of a file goes this way.
  @inline(__always)
  private mutating func takePlain(_ scanner: inout JSONScanner, _ shape: borrowing Shape) -> Bool {
    let start = scanner.next
    guard start.load(as: UInt8.self) == UInt8(ascii: "{") else { return false }
    var place = start + 1
    var lines = 0
    var row = 0
    while true {
      guard let gap = shape.match(place, row: row) else { return false }
      place += gap.length
      lines &+= gap.lines
      guard let key = gap.key else { break }
      row = gap.row
      guard takePlain(key, &place, scanner) else { return false }
    }
    scanner.pass(place - start, lines: lines)
    return true
  }

  @inline(__always)
  private mutating func takePlain(
    _ key: SafariHistoryField, _ place: inout UnsafeRawPointer, _ scanner: borrowing JSONScanner
  ) -> Bool {
    switch key {
    case .url: SafariHistoryEntry.text(&url, &place, scanner)
    case .title: SafariHistoryEntry.text(&title, &place, scanner)
    case .sourceURL: SafariHistoryEntry.text(&source.url, &place, scanner)
    case .destinationURL: SafariHistoryEntry.text(&destination.url, &place, scanner)
    case .time: SafariHistoryEntry.number(&time, &place)
    case .sourceTime: SafariHistoryEntry.number(&source.time, &place)
    case .destinationTime: SafariHistoryEntry.number(&destination.time, &place)
    case .visitCount: SafariHistoryEntry.number(&count, &place)
    case .visitsCount: SafariHistoryEntry.number(&otherCount, &place)
    case .loadFailure: SafariHistoryEntry.flag(&loadFailed, &place)
    case .httpGet: SafariHistoryEntry.flag(&httpGet, &place)
    case .unknown: false
    }
  }

  @inline(__always)
  private static func text(
    _ text: inout JSONScanner.Text, _ place: inout UnsafeRawPointer, _ scanner: borrowing JSONScanner
  ) -> Bool {
    guard place.load(as: UInt8.self) == UInt8(ascii: "\"") else { return false }
    var seen: UInt64 = 0
    var index = JSONWords.special(place, from: 1, seen: &seen)
    var hasEscapes = false
    while place.load(fromByteOffset: index, as: UInt8.self) == UInt8(ascii: "\\") {
      guard place.load(fromByteOffset: index &+ 1, as: UInt8.self) == UInt8(ascii: "/") else { return false }
      hasEscapes = true
      index = JSONWords.special(place, from: index &+ 2, seen: &seen)
    }
    guard place.load(fromByteOffset: index, as: UInt8.self) == UInt8(ascii: "\"") else { return false }
    let isASCII = seen & JSONWords.highBits == 0
    text = scanner.plainText(at: place + 1, count: index &- 1, hasEscapes: hasEscapes, isASCII: isASCII)
    place += index &+ 1
    return true
  }

  @inline(__always)
  private static func number(_ number: inout Int64, _ place: inout UnsafeRawPointer) -> Bool {
    guard let found = JSONNumber.plain(place) else { return false }
    number = found.value
    place += found.length
    return true
  }

  @inline(__always)
  private static func number(_ number: inout Int64?, _ place: inout UnsafeRawPointer) -> Bool {
    guard let found = JSONNumber.plain(place) else { return false }
    number = found.value
    place += found.length
    return true
  }

  @inline(__always)
  private static func flag(_ flag: inout Bool, _ place: inout UnsafeRawPointer) -> Bool {
    let word = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    if word == 0x6575_7274 {  // "true"
      flag = true
      place += 4
    } else if word == 0x736C_6166, place.load(fromByteOffset: 4, as: UInt8.self) == UInt8(ascii: "e") {  // "fals"
      flag = false
      place += 5
    } else {
      return false
    }
    return true
  }
}
