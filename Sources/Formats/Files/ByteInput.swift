/// Bytes that can be read from the start as often as one likes: a file, a member of an archive, an array.
package protocol ByteInput {
  /// What it is called in a report: the last part of a path, a member's name.
  var name: String { get }
  /// Starts at the first byte.
  func open() throws(FormatError) -> any OpenByteInput
}

/// One reading of a `ByteInput`; closed when it is let go.
package protocol OpenByteInput: AnyObject {
  /// How many bytes will come, where that is known. Only a guess: a file may change.
  var expectedCount: Int? { get }
  /// Fills the front of the buffer with what comes next and says how much; 0 only at the end (or for an empty buffer).
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int
}

extension ByteInput {
  /// All of it; `tooLarge` when it is longer than `limit`.
  package func bytes(upTo limit: Int) throws(FormatError) -> [UInt8] {
    let bytes = try prefix(limit &+ 1)
    if bytes.count > limit { throw .tooLarge("more than \(limit) bytes", .none) }
    return bytes
  }

  /// The first bytes, fewer when there are no more.
  package func prefix(_ count: Int) throws(FormatError) -> [UInt8] {
    let stream = try open()
    var bytes: [UInt8] = []
    if let expected = stream.expectedCount {
      // One more than expected, so that the end shows without a further piece.
      bytes = try ByteInputs.first(min(count, expected &+ 1), of: stream)
      if bytes.count == min(count, expected) { return bytes }
    }
    var chunk = [UInt8](repeating: 0, count: min(count, 1 << 18))
    while bytes.count < count {
      let wanted = min(chunk.count, count - bytes.count)
      let got = try stream.read(into: &chunk, count: wanted)
      if got == 0 { break }
      bytes.append(contentsOf: chunk[..<got])
    }
    return bytes
  }
}

/// What inputs have in common.
private enum ByteInputs {
  /// So many bytes, fewer at the end, read to where they stay.
  static func first(_ count: Int, of stream: any OpenByteInput) throws(FormatError) -> [UInt8] {
    var failure: FormatError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FormatError) {
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          let got = try stream.read(into: rest)
          if got == 0 { return }
          filled += got
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

extension OpenByteInput {
  package var expectedCount: Int? { nil }

  /// The same, into the front of an array.
  package func read(into array: inout [UInt8], count: Int) throws(FormatError) -> Int {
    var result: Result<Int, FormatError> = .success(0)
    array.withUnsafeMutableBytes { buffer in
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
      do throws(FormatError) { result = .success(try read(into: part)) } catch { result = .failure(error) }
    }
    return try result.get()
  }
}

/// Bytes in memory as an input. `chunk` bounds what one `read` gives: decoders must not care.
package struct MemoryInput: ByteInput {
  package let name: String
  private let bytes: [UInt8]
  private let chunk: Int

  /// Of these bytes.
  package init(_ bytes: [UInt8], name: String = "memory", chunk: Int = .max) {
    self.bytes = bytes
    self.name = name
    self.chunk = max(1, chunk)
  }

  package func open() -> any OpenByteInput { Open(bytes, chunk) }

  private final class Open: OpenByteInput {
    private let bytes: [UInt8]
    private let chunk: Int
    private var position = 0

    init(_ bytes: [UInt8], _ chunk: Int) {
      self.bytes = bytes
      self.chunk = chunk
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = min(buffer.count, chunk, bytes.count - position)
      guard count > 0 else { return 0 }
      buffer.copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }
  }
}
