/// What stands around the entries of a Safari JSON file: `{"metadata": {…}, "history": […]}`, in any order.
struct SafariEnvelope {
  /// `metadata.data_type`; nil when the file has none.
  private(set) var dataType: String?
  /// `metadata.schema_version`.
  private(set) var schemaVersion: Int64?
  /// The arrays of known names, in the order in which they stand in the file.
  private(set) var arrays: [SafariKind] = []

  /// What the file is. `metadata` decides, and without it the first array of a known name; nil when neither is there.
  var kind: Result<SafariKind, UnknownKind>? {
    if let dataType {
      return SafariKind(rawValue: dataType).map { .success($0) } ?? .failure(UnknownKind(dataType: dataType))
    }
    return arrays.first.map { .success($0) }
  }

  /// A kind of Safari JSON that is not known here.
  struct UnknownKind: Error, Equatable {
    /// What `metadata.data_type` says.
    let dataType: String
    /// The same for a report: short, without anything that a terminal obeys.
    var printable: String { String(dataType.prefix(40).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) }
  }

  /// Whether its fields may be newer than what is known here.
  var isNewer: Bool { (schemaVersion ?? 0) > SafariKind.schemaVersion }

  /// Reads only as far as needed to tell the kind. Nil when it is JSON, but no object.
  static func recognize(_ input: any ByteInput) throws(FormatError) -> SafariEnvelope? {
    var envelope = SafariEnvelope()
    var scanner = try JSONScanner.open(input)
    guard try scanner.kind() == .object else { return nil }
    try scanner.enterObject()
    while let key = try scanner.nextMember() {
      try envelope.take(key, from: &scanner)
      if envelope.dataType != nil { break }
    }
    return envelope
  }

  /// Reads a whole file and hands each entry of the kind's arrays to `entry` with its number, from 1. `entry` reads
  /// one value. Anything but white space after the end, and a file without the array, is damage.
  @inline(__always)
  static func read(
    _ kind: SafariKind, from input: any ByteInput, entry: (inout JSONScanner, Int) throws -> Void
  ) throws -> SafariEnvelope {
    var envelope = SafariEnvelope()
    var scanner = try JSONScanner.open(input)
    var number = 0
    try scanner.enterObject()
    while let key = try scanner.nextMember() {
      let known = envelope.array(key, &scanner)
      guard known == kind else {
        try envelope.take(key, from: &scanner)
        continue
      }
      envelope.arrays.append(kind)
      try scanner.enterArray()
      var shape = JSONShape<JSONElement>()
      var row = 0
      while case let gap = try scanner.nextElement(row: row, &shape), gap.key != nil {
        row = gap.row
        number &+= 1
        try entry(&scanner, number)
      }
    }
    try scanner.finish()
    if !envelope.arrays.contains(kind) { throw FormatError.damaged("the list \"\(kind.rawValue)\" is missing", .none) }
    return envelope
  }

  private func array(_ key: JSONScanner.Text, _ scanner: inout JSONScanner) -> SafariKind? {
    if scanner.isEqual(key, "history") { return .history }
    if scanner.isEqual(key, "payment_cards") { return .paymentCards }
    if scanner.isEqual(key, "extensions") { return .extensions }
    return nil
  }

  private mutating func take(_ key: JSONScanner.Text, from scanner: inout JSONScanner) throws(FormatError) {
    let isMetadata = scanner.isEqual(key, "metadata")
    let array = array(key, &scanner)
    let kind = try scanner.kind()
    if isMetadata, kind == .object { return try takeMetadata(from: &scanner) }
    if let array, kind == .array { arrays.append(array) }
    try scanner.skipValue()
  }

  private mutating func takeMetadata(from scanner: inout JSONScanner) throws(FormatError) {
    try scanner.enterObject()
    while let key = try scanner.nextMember() {
      let isType = scanner.isEqual(key, "data_type")
      let isVersion = scanner.isEqual(key, "schema_version")
      let kind = try scanner.kind()
      if isType, kind == .string {
        let text = try scanner.text()
        dataType = scanner.repairedString(text)
      } else if isVersion, kind == .number {
        schemaVersion = try scanner.integer()
      } else {
        try scanner.skipValue()
      }
    }
  }
}
