/// A member of an archive as the central directory describes it.
struct ZIPMember {
  /// The method of a member that is encrypted by AES; an extra field holds the real one.
  static let encryptedMethod: UInt16 = 99

  /// The bytes of its name.
  var rawName: [UInt8]
  /// General purpose flags.
  var flags: UInt16
  /// 0 stored, 8 deflated.
  var method: UInt16
  /// The system whose attributes `attributes` are.
  var madeBy: UInt8
  /// The system's attributes; the upper half is a mode on Unix.
  var attributes: UInt32
  /// Bytes in the archive.
  var compressedSize: UInt64
  /// Bytes when unpacked, as the directory says.
  var size: UInt64
  /// Where its local header starts.
  var offset: UInt64

  /// The name for reports and for recognition; what is no UTF-8 is read as Latin-1.
  var name: String {
    rawName.withUnsafeBytes { validatedString($0) }
      ?? String(String.UnicodeScalarView(rawName.map { Unicode.Scalar($0) }))
  }

  /// The name with control characters shown as `\xx`: safe on a terminal.
  var printableName: String {
    var text = ""
    for scalar in name.unicodeScalars {
      if scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format {
        text += "\\" + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether it is a folder's entry.
  var isFolder: Bool { rawName.last == UInt8(ascii: "/") }

  /// Whether it is one of macOS's own notes, which say nothing of browsing data.
  var isNote: Bool {
    let parts = components
    guard let last = parts.last else { return false }
    return parts.contains("__MACOSX") || last.hasPrefix("._") || last == ".DS_Store"
  }

  /// The parts of its name. Windows' backslash counts as a slash.
  private var components: [Substring] { name.split { $0 == "/" || $0 == "\\" } }

  /// What is hostile in its name; nil when nothing is.
  var problemOfName: String? {
    guard let first = rawName.first else { return "it has no name" }
    if rawName.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "its name holds control characters" }
    if first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") { return "its name is absolute" }
    if rawName.count > 1, rawName[1] == UInt8(ascii: ":"),
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
    {
      return "its name has a drive letter"
    }
    return components.contains("..") ? "its name climbs out of the folder" : nil
  }

  /// What is hostile, or not to be read, in the member itself; nil when nothing is.
  var problem: String? {
    if flags & 0x2041 != 0 || method == ZIPMember.encryptedMethod { return "it is encrypted" }
    if madeBy == 3 || madeBy == 19 {
      let kind = attributes >> 28
      if kind == 0o12 { return "it is a symbolic link" }
      if kind != 0, kind != 0o10, kind != 0o4 { return "it is no plain file" }
    }
    if method != 0, method != 8 { return "it is packed by an unknown method" }
    if method == 0, compressedSize != size { return "its sizes contradict each other" }
    return isBomb(produced: size) ? "it unpacks to more than 200 times its size" : nil
  }

  /// Whether so many bytes are more than an honest member can hold.
  func isBomb(produced: UInt64) -> Bool { produced > 50 << 20 && produced / 200 > compressedSize }
}
