internal import BrowsingData
internal import Crypto

/// The UUIDs by which Chromium names bookmarks and cards.
enum ChromiumGUID {
  /// Made of a record's id alone, so that a delivery that was cut finds what it had written; another one for each
  /// attempt.
  static func make(of id: RecordID, attempt: Int) -> String {
    var bytes = id.bytes
    if attempt > 0 { bytes = Hash.blake2b(bytes + "\(attempt)".utf8, length: 16) }
    // The bits that tell a random UUID.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array(hexadecimal(bytes))
    return [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]].map { String($0) }
      .joined(separator: "-")
  }

  /// Whether Chromium takes it as it is: it makes all of a file's anew when one has capitals or another form.
  static func isValid(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == UInt8(ascii: "-") : (48...57).contains(byte) || (97...102).contains(byte)
    }
  }
}
