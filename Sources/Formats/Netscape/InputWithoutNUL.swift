/// A text without its NULs: no bookmark means anything by one.
final class InputWithoutNUL: OpenByteInput {
  private let text: any OpenByteInput

  /// Of a text.
  init(_ text: any OpenByteInput) { self.text = text }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    while true {
      let got = try text.read(into: buffer)
      var kept = 0
      for index in 0..<got where buffer[index] != 0 {
        buffer[kept] = buffer[index]
        kept += 1
      }
      if kept > 0 || got == 0 { return kept }
    }
  }
}
