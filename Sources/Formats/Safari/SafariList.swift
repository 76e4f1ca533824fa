internal import BrowsingData

/// How the short lists of a Safari export (cards, extensions) are read.
enum SafariList {
  /// How many entries a file has. Throws when the file is damaged.
  static func count(_ kind: SafariKind, _ input: any ByteInput) throws -> Int {
    var count = 0
    _ = try SafariEnvelope.read(kind, from: input) { scanner, _ in
      count += 1
      try scanner.skipValue()
    }
    return count
  }

  /// Hands over the records of a file, some thousand at a time; nothing of a damaged one. `entry` makes a record of an entry,
  /// or says in the batch why not.
  static func read<Element>(
    _ kind: SafariKind, _ input: any ByteInput, keys: Set<String>, _ batch: SafariBatch<Element>,
    into consume: (RecordBatch) throws -> Void, entry: (SafariEntry, Place, inout SafariBatch<Element>) -> Void
  ) throws {
    _ = try count(kind, input)
    var batch = batch
    let envelope = try SafariEnvelope.read(kind, from: input) { scanner, number in
      let place = Place(number: number, line: scanner.line)
      entry(try SafariEntry(&scanner, keys: keys), place, &batch)
      try batch.flushIfFull(into: consume)
    }
    if envelope.isNewer { batch.remarkNewer() }
    try batch.flush(into: consume)
  }

  /// Where an entry stands.
  struct Place {
    /// Its number, from 1.
    let number: Int
    let line: Int
  }
}
