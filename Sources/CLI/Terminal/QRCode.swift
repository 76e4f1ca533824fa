internal import CQREncode

/// A QR code (the door of libqrencode).
struct QRCode {
  /// Modules of a side.
  let width: Int
  /// Row after row; true is dark.
  let modules: [Bool]

  /// Of a text, with medium error correction; nil when the text is too long for any.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// Two rows of modules a line of text, with a quiet zone around; with colours dark on light whatever the terminal's are.
  func lines(isColored: Bool) -> [String] {
    let quiet = 2
    func isDark(_ row: Int, _ column: Int) -> Bool {
      guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
      return modules[row * width + column]
    }
    return stride(from: -quiet, to: width + quiet, by: 2).map { row in
      let cells = (-quiet..<width + quiet).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (false, false): "█"
        case (false, true): "▀"
        case (true, false): "▄"
        case (true, true): " "
        }
      }
      return isColored ? "\u{1B}[97;40m\(cells.joined())\u{1B}[0m" : cells.joined()
    }
  }
}
