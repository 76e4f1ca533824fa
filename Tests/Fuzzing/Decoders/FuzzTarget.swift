import CFuzzer
import Glibc

/// One decoder under libFuzzer. To add one: a file here with a `static let`, a line in `all`, and seeds in
/// Tests/Fuzzing/Seeds/<name>. A target calls `require` for what must hold; it may throw, which is an answer like any other.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable ([UInt8]) throws -> Void

  static let all: [FuzzTarget] = [.frame, .message, .batch, .compression, .resources] + marks + safari

  /// The one that WHERRY_FUZZ_TARGET names.
  static let chosen: FuzzTarget? = {
    guard let name = getenv("WHERRY_FUZZ_TARGET") else { return nil }
    let text = String(cString: name)
    return all.first { $0.name == text }
  }()
}

/// Ends the program when something does not hold: libFuzzer keeps the input.
func require(_ condition: Bool, _ what: StaticString) {
  precondition(condition, "\(what)")
}

/// libFuzzer's name for the function that it calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  try? FuzzTarget.chosen?.run(Array(UnsafeBufferPointer(start: data, count: count)))
  return 0
}

func runFuzzer() {
  guard FuzzTarget.chosen != nil else {
    for target in FuzzTarget.all { print(target.name) }
    return
  }
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  exit(LLVMFuzzerRunDriver(&count, &arguments) { testOneInput($0, $1) })
}
