internal import Crypto

/// Bytes on their way out: plaintext pieces as they were written, and one buffer of ciphertext. Encrypts a buffer's worth at
/// once, so that one system call carries many TLS records.
struct OutputQueue {
  private var pieces: [[UInt8]] = []
  private var firstPiece = 0
  private var firstByte = 0
  private var plaintextCount = 0
  private let plaintext: UnsafeMutableRawBufferPointer
  private let sealed: UnsafeMutableRawBufferPointer
  private var sealedRange = 0..<0

  init(chunk: Int) {
    plaintext = .allocate(byteCount: chunk, alignment: 64)
    sealed = .allocate(byteCount: chunk + chunk / 64 + 1_024, alignment: 64)
  }

  func deallocate() {
    plaintext.deallocate()
    sealed.deallocate()
  }

  /// All that waits.
  var count: Int { plaintextCount + sealedRange.count }
  var isEmpty: Bool { count == 0 }

  /// What can be sent as it is.
  var ciphertext: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: sealed[sealedRange]) }

  mutating func append(_ bytes: [UInt8]) {
    pieces.append(bytes)
    plaintextCount += bytes.count
  }

  mutating func removeAll() {
    pieces.removeAll()
    (firstPiece, firstByte, plaintextCount, sealedRange) = (0, 0, 0, 0..<0)
  }

  /// So many bytes of the ciphertext were sent.
  mutating func consume(_ count: Int) {
    sealedRange = (sealedRange.lowerBound + count)..<sealedRange.upperBound
  }

  /// Fills the empty ciphertext: first what the session has by itself (handshake, alerts), else the next plaintext.
  mutating func encrypt(with session: TLSSession) throws(TLSFailure) {
    if session.outputCount == 0 && plaintextCount > 0 {
      if pieces[firstPiece].count - firstByte >= plaintext.count / 4 {
        // A long piece is encrypted where it lies.
        let end = min(pieces[firstPiece].count, firstByte + plaintext.count)
        let result = pieces[firstPiece].withUnsafeBytes { bytes -> Result<Void, TLSFailure> in
          Result { () throws(TLSFailure) in
            try session.write(UnsafeRawBufferPointer(rebasing: bytes[firstByte..<end]))
          }
        }
        try result.get()
        advance(by: end - firstByte)
        dropSpentPieces()
      } else {
        try session.write(UnsafeRawBufferPointer(rebasing: plaintext[..<gather()]))
      }
    }
    sealedRange = 0..<session.takeOutput(into: sealed)
  }

  /// Moves as much plaintext as fits to the buffer; how much.
  private mutating func gather() -> Int {
    var filled = 0
    while filled < plaintext.count && firstPiece < pieces.count {
      let taken = pieces[firstPiece].withUnsafeBytes { piece in
        let taken = min(piece.count - firstByte, plaintext.count - filled)
        UnsafeMutableRawBufferPointer(rebasing: plaintext[filled..<(filled + taken)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[firstByte..<(firstByte + taken)]))
        return taken
      }
      filled += taken
      advance(by: taken)
    }
    dropSpentPieces()
    return filled
  }

  /// So many bytes of the first piece are encrypted.
  private mutating func advance(by count: Int) {
    plaintextCount -= count
    firstByte += count
    if firstByte == pieces[firstPiece].count {
      pieces[firstPiece] = []
      (firstPiece, firstByte) = (firstPiece + 1, 0)
    }
  }

  private mutating func dropSpentPieces() {
    if firstPiece == pieces.count {
      pieces.removeAll(keepingCapacity: true)
      firstPiece = 0
    } else if firstPiece > 1_024 {
      pieces.removeFirst(firstPiece)
      firstPiece = 0
    }
  }
}
