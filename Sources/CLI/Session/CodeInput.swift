import Channel
import Glibc
import Transfer

/// Takes a pairing code from where the person puts it: an argument, a file, a prompt.
struct CodeInput {
  let context: Context
  /// Where to connect, when it was said.
  let at: [Endpoint]

  /// The code as text; nil when this end is to show one. `words` are the arguments, which may be digits in groups.
  func text(_ words: [String], promptsWhenMissing: Bool) throws -> String? {
    let joined = words.joined(separator: " ")
    if joined == "-" { return try typed("Code shown on the other machine:") }
    if !joined.isEmpty { return joined }
    if let path = environment("WHERRY_CODE_FILE") {
      guard let line = firstLine(of: path), !line.isEmpty else {
        throw Failure(
          .usage, "WHERRY_CODE_FILE names no file with a code.",
          hint: "Write the ten digits into that file, or unset it.")
      }
      return line
    }
    guard promptsWhenMissing, !context.options.yes, !context.output.isJSON else { return nil }
    return context.prompts.line("Code shown on the other machine (Return: show one here):")
  }

  /// The code again, after a wrong one.
  func again() -> String? { context.prompts.line("Type the code again (Return: stop):") }

  /// Reads a code or the address of a QR code. A mistyped one is refused here, before any network.
  func answer(to text: String) throws -> AnsweredCode {
    let at = at
    if PairingURI.isLike(text) {
      guard let uri = PairingURI(text.trimmed) else {
        throw Failure(.wrongCode, "That is not the address of a Wherry QR code.", hint: "Copy all of it.")
      }
      return AnsweredCode(secret: uri.secret, means: .qrCode, peer: uri.peerID) { () throws(TransferError) in
        at.isEmpty ? uri.addresses : at
      }
    }
    let code: PairingCode
    do throws(PairingCode.Fault) {
      code = try PairingCode(text)
    } catch {
      switch error {
      case .notTenDigits: throw Failure(.wrongCode, "A code has ten digits.", hint: "It looks like 48 219 365 74.")
      case .checkDigit:
        throw Failure(.wrongCode, "The code is mistyped: its check digit does not fit.", hint: "Look at it again.")
      }
    }
    let door = code.door, neighbours = Neighbours(prompts: context.prompts, output: context.output)
    return AnsweredCode(secret: code.secret, means: .digits, peer: nil) { () throws(TransferError) in
      at.isEmpty ? try neighbours.showing(door) : at
    }
  }

  private func typed(_ question: String) throws -> String {
    if context.prompts.canAsk, let line = context.prompts.line(question) { return line }
    if !Terminal.isTyped, let line = Terminal.line(), !line.isEmpty { return line }
    throw Failure(.usage, "No code was given.", hint: "Type it, or name a file by WHERRY_CODE_FILE.")
  }
}

extension String {
  /// Without blanks around.
  var trimmed: String {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}
