/// Where a writer puts its bytes. `finish` or `abandon` is called once, at the end.
package protocol ByteOutput: AnyObject {
  /// Appends bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FormatError)
  /// Makes all of it durable and visible at once.
  func finish() throws(FormatError)
  /// Leaves everything as it was before.
  func abandon()
}

extension ByteOutput {
  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(FormatError) {
    var failure: FormatError?
    bytes.withUnsafeBytes { buffer in
      do throws(FormatError) { try write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Appends text as UTF-8.
  package func write(_ text: String) throws(FormatError) { try write(Array(text.utf8)) }
}

/// An output that keeps nothing: for dry runs, which only count losses.
package final class NullOutput: ByteOutput {
  /// A new one.
  package init() {}
  package func write(_ bytes: UnsafeRawBufferPointer) {}
  package func finish() {}
  package func abandon() {}
}

/// An output into memory.
package final class MemoryOutput: ByteOutput {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []
  /// Whether `finish` was called.
  package private(set) var isFinished = false

  /// An empty one.
  package init() {}
  package func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
  package func finish() { isFinished = true }
  package func abandon() { bytes = [] }
}
