import Glibc
import Store

/// What a command is called with: the common options, where it speaks, and whom it may ask.
struct Context {
  let options: GlobalOptions
  let output: Output
  let prompts: Prompts

  init(options: GlobalOptions, output: Output) {
    self.options = options
    self.output = output
    prompts = Prompts(output)
  }

  /// The home that was named, by option or by environment; nil for the XDG folders.
  var homePath: String? {
    if let home = options.home { return home }
    return environment("WHERRY_HOME")
  }

  /// The home's folders; made when they are not there.
  func openHome() throws -> Home { try Home.open(homePath) }

  /// This device's own store.
  func openStore() throws -> RecordStore {
    let store = try RecordStore.open(home: try openHome())
    if let path = store.setAside {
      output.warning("The store was damaged. It lies now at \(visible(path)), and a new one was begun.")
    }
    return store
  }

  /// A store that goes when it is no longer needed.
  func openTemporaryStore() throws -> RecordStore { try RecordStore.openTemporary(in: try openHome()) }

  /// Whether the person agrees; without a terminal only `--yes` does. `option` is what to name otherwise.
  func agrees(_ question: String) throws -> Bool {
    if options.yes { return true }
    guard prompts.canAsk else {
      throw Failure(.declined, "\(question) Nobody can answer here.", hint: "Add --yes to agree ahead.")
    }
    return prompts.agrees(question, preset: false)
  }
}

/// A variable of the environment; nil when it is empty.
func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}
