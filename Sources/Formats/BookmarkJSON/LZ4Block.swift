internal import CLZ4

/// Mozilla's LZ4 files: `mozLz40\0`, the length as four bytes (little end first), one raw LZ4 block.
enum LZ4Block {
  /// More than this no backup holds.
  static let maximumSize = 256 << 20
  private static let magic = Array("mozLz40\0".utf8)

  /// Whether a file starts as one.
  static func recognizes(_ front: [UInt8]) -> Bool { front.starts(with: magic) }

  /// The content of a whole file.
  static func content(of file: [UInt8]) throws(FormatError) -> [UInt8] {
    guard file.count > magic.count + 4 else { throw .truncated(.byte(Int64(file.count))) }
    let size = (0..<4).reduce(0) { $0 | Int(file[magic.count + $1]) << (8 * $1) }
    let block = file[(magic.count + 4)...]
    // A block can grow 255-fold at most: what claims more would only cost memory.
    guard size <= maximumSize, size / 255 <= block.count + 16 else {
      throw .tooLarge("\(size) bytes unpacked", .byte(Int64(magic.count)))
    }
    var content = [UInt8](repeating: 0, count: size)
    let count = block.withUnsafeBytes { source in
      content.withUnsafeMutableBytes { target in
        LZ4_decompress_safe(
          source.baseAddress?.assumingMemoryBound(to: CChar.self),
          target.baseAddress?.assumingMemoryBound(to: CChar.self),
          Int32(clamping: source.count), Int32(clamping: target.count))
      }
    }
    guard Int(count) == size else { throw .damaged("the compressed content is wrong", .byte(Int64(magic.count + 4))) }
    return content
  }
}
