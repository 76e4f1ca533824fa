package import BrowsingData

/// Writes a map of fields. Numbers must ascend: our own mistake otherwise. Unknown fields are woven in where they belong.
package struct TLVWriter {
  private var writer = ByteWriter()
  private var last: UInt64 = 0
  private var unknown: ArraySlice<UnknownFields.Field>

  /// A map that gives these unknown fields back.
  package init(unknown: UnknownFields = UnknownFields()) { self.unknown = unknown.fields[...] }

  /// Makes room for this many bytes more.
  package mutating func reserve(_ count: Int) { writer.reserve(count) }

  /// A field whose value is these bytes.
  package mutating func bytes(_ number: UInt64, _ value: some Collection<UInt8>) {
    giveBackUnknown(below: number)
    write(number, value)
  }

  /// A field whose value a closure writes.
  package mutating func field(_ number: UInt64, _ body: (inout ByteWriter) -> Void) {
    var value = ByteWriter()
    body(&value)
    bytes(number, value.bytes)
  }

  /// A field that is an unsigned number.
  package mutating func varint(_ number: UInt64, _ value: UInt64) { field(number) { $0.varint(value) } }

  /// A field that is a number of 0 or more; a negative one, our own mistake, is written as 0.
  package mutating func natural(_ number: UInt64, _ value: some BinaryInteger) {
    varint(number, UInt64(clamping: value))
  }

  /// A field that is a signed number.
  package mutating func signed(_ number: UInt64, _ value: Int64) { field(number) { $0.signed(value) } }

  /// A field that is text.
  package mutating func text(_ number: UInt64, _ value: String) { bytes(number, value.utf8) }

  /// The bytes of the map.
  package consuming func finish() -> [UInt8] {
    giveBackUnknown(below: nil)
    return writer.bytes
  }

  private mutating func giveBackUnknown(below number: UInt64?) {
    while let next = unknown.first, number.map({ next.number < $0 }) ?? true {
      unknown.removeFirst()
      if next.number % 2 == 1, next.number > last { write(next.number, next.value) }
    }
    if let next = unknown.first, next.number == number { unknown.removeFirst() }
  }

  private mutating func write(_ number: UInt64, _ value: some Collection<UInt8>) {
    precondition(number > last, "fields ascend")
    last = number
    writer.varint(number)
    writer.counted(value)
  }
}
