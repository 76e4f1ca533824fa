internal import CLinux
internal import Crypto
internal import Glibc

/// The digest of a file's content: SHA-256 over its blocks of 64 KiB in order, each as the byte 1 and its bytes, or as the
/// byte 0 alone when all of it is zero. So a hole of any size costs next to nothing. The last block may be shorter.
final class FileDigest {
  private let hash = SHA256Stream()
  /// The beginning of a block that is not complete.
  private var rest: [UInt8] = []
  /// How many zeros the block begins with, when nothing else has come of it.
  private var zeros = 0

  static let block = 65_536
  private static let nothing = [UInt8](repeating: 0, count: block)

  /// Adds bytes.
  func update(_ bytes: [UInt8]) {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let part = bytes.prefix(FileDigest.block - rest.count - zeros)
      bytes = bytes.dropFirst(part.count)
      spell()
      rest += part
      if rest.count == FileDigest.block { close() }
    }
  }

  /// Adds so many bytes that are zero.
  func updateZeros(_ count: Int64) {
    var left = count
    if !rest.isEmpty {
      let part = min(left, Int64(FileDigest.block - rest.count))
      rest += [UInt8](repeating: 0, count: Int(part))
      left -= part
      if rest.count == FileDigest.block { close() }
    }
    guard left > 0 else { return }
    let (blocks, part) = (left + Int64(zeros)).quotientAndRemainder(dividingBy: Int64(FileDigest.block))
    zeros = Int(part)
    var marks = blocks
    while marks > 0 {
      let some = Int(min(marks, Int64(FileDigest.block)))
      FileDigest.nothing.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<some])) }
      marks -= Int64(some)
    }
  }

  /// Adds what a file holds below a place, holes as such; what lies beyond its end counts as zeros.
  func update(_ file: OpenFile, upTo end: Int64) throws(ResourceError) {
    var offset: Int64 = 0
    while offset < end {
      let data = file.nextData(from: offset, size: end)
      updateZeros(data - offset)
      offset = data
      let bytes = try file.read(at: offset, atMost: Int(min(end - offset, 1 << 20)))
      if bytes.isEmpty { break }
      update(bytes)
      offset += Int64(bytes.count)
    }
    if offset < end { updateZeros(end - offset) }
  }

  /// The digest, 32 bytes. Nothing may follow.
  func finish() -> [UInt8] {
    if !rest.isEmpty || zeros > 0 { close() }
    return hash.digest()
  }

  /// Whether all of these bytes are zero; at most a block of them.
  static func isZero(_ bytes: [UInt8]) -> Bool {
    bytes.count <= block && memcmp(bytes, nothing, bytes.count) == 0
  }

  private func spell() {
    guard zeros > 0 else { return }
    rest = [UInt8](repeating: 0, count: zeros)
    zeros = 0
  }

  private func close() {
    if rest.isEmpty || FileDigest.isZero(rest) {
      hash.update([0])
    } else {
      hash.update([1])
      hash.update(rest)
    }
    rest.removeAll(keepingCapacity: true)
    zeros = 0
  }
}
