import BrowsingData

/// One entry of the short lists (cards, extensions): its known fields by name, those of an object in it among them.
struct SafariEntry {
  /// Whether it is an object at all.
  private(set) var isObject = false
  /// Its texts; "" counts as absent.
  private(set) var texts: [String: String] = [:]
  /// Its numbers, rounded.
  private(set) var numbers: [String: Int64] = [:]
  /// How many known fields were of no use: a list, a number beyond 64 bits, text that is no UTF-8.
  private(set) var oddFields = 0

  /// Reads one value, whatever it is.
  init(_ scanner: inout JSONScanner, keys: Set<String>) throws(FormatError) {
    guard try scanner.kind() == .object else {
      try scanner.skipValue()
      return
    }
    isObject = true
    try takeObject(&scanner, keys, depth: 0)
  }

  private mutating func takeObject(
    _ scanner: inout JSONScanner, _ keys: Set<String>, depth: Int
  ) throws(FormatError) {
    try scanner.enterObject()
    while let text = try scanner.nextMember() {
      guard let key = scanner.string(text), keys.contains(key) else {
        try scanner.skipValue()
        continue
      }
      switch try scanner.kind() {
      case .string:
        let text = try scanner.text()
        let value = scanner.string(text)
        texts[key] = value == "" ? nil : value
        if value == nil { oddFields += 1 }
      case .number:
        numbers[key] = try scanner.integer()
        if numbers[key] == nil { oddFields += 1 }
      case .object where depth == 0:
        try takeObject(&scanner, keys, depth: 1)
      case .object, .array, .bool:
        oddFields += 1
        try scanner.skipValue()
      case .null:
        try scanner.null()
      }
    }
  }
}

/// Records of one kind and remarks on them, handed over some thousand at a time.
struct SafariBatch<Element> {
  /// What was read since the last hand-over.
  var records: [Element] = []
  private var remarks: [Remark] = []
  private let type: DataType
  private let batch: ([Element]) -> RecordBatch

  init(_ type: DataType, _ batch: @escaping ([Element]) -> RecordBatch) {
    self.type = type
    self.batch = batch
  }

  /// Says something of an entry.
  mutating func remark(_ kind: Remark.Kind, _ line: Int, _ reason: String) {
    remarks.append(Remark(kind, type: type, place: .line(line), reason: reason))
  }

  /// Says that the file is newer than this program.
  mutating func remarkNewer() {
    let reason = "the file is of a newer version; fields not known here are passed over"
    remarks.append(Remark(.warning, type: type, reason: reason))
  }

  /// Hands over, when there is enough.
  mutating func flushIfFull(into consume: (RecordBatch) throws -> Void) throws {
    if records.count + remarks.count >= 2000 { try flush(into: consume) }
  }

  /// Hands over what is there.
  mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    if !records.isEmpty { try consume(batch(records)) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    records = []
    remarks = []
  }
}
