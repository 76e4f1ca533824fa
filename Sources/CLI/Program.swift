import Glibc

/// The program: reads the arguments, runs a command, and ends with its exit status.
@main
enum Program {
  static let version = "0.1.0"

  static var commands: [CommandEntry] {
    [
      CommandEntry(DemoCommand.self), CommandEntry(SendCommand.self), CommandEntry(ReceiveCommand.self),
      CommandEntry(PairCommand.self), CommandEntry(SyncCommand.self),
      CommandEntry(AttachCommand.self), CommandEntry(DetachCommand.self),
      CommandEntry(DevicesCommand.self), CommandEntry(SourcesCommand.self),
      CommandEntry(ImportCommand.self), CommandEntry(ExportCommand.self),
      CommandEntry(ListCommand.self), CommandEntry(ForgetCommand.self), CommandEntry(ConflictsCommand.self),
      CommandEntry(UndoCommand.self),
      CommandEntry(StatusCommand.self),
      CommandEntry(DoctorCommand.self),
    ]
  }

  static func main() {
    let arguments = ProcessStart.begin()
    Interruption.shared.begin()
    Glibc.exit(run(arguments).rawValue)
  }

  /// Runs with these arguments.
  static func run(_ arguments: [String]) -> ExitCode {
    var common = GlobalOptions()
    // A wrong argument is said in the form that was asked for, wherever `--json` stands.
    common.json = arguments.prefix { $0 != "--" }.contains("--json")
    do throws(UsageError) {
      let rest = try leading(arguments, into: &common)
      if common.version { return say("wherry \(version)") }
      guard let word = rest.first else {
        if common.help || arguments.isEmpty { return say(Help.overview(commands)) }
        throw UsageError("A command is missing.")
      }
      if word == "help" { return help(rest.dropFirst().first) }
      guard let command = commands.first(where: { $0.name == word }) else {
        throw UsageError("There is no command \(quoted(word)).\(suggestion(for: word, among: commands.map(\.name)))")
      }
      let (options, action) = try read(command, Array(rest.dropFirst()), common)
      if options.help || common.help { return say(command.help) }
      if options.version { return say("wherry \(version)") }
      return perform(action, options)
    } catch {
      return end(
        Failure(.usage, error.message, hint: error.hint ?? "wherry --help lists the commands."), Output(common))
    }
  }

  /// Reads the options before the command; gives the rest.
  private static func leading(
    _ arguments: [String], into common: inout GlobalOptions
  ) throws(UsageError) -> ArraySlice<String> {
    let parser = ArgumentParser(parameters: GlobalOptions.parameters)
    var rest = arguments[...]
    while let word = rest.first, word.hasPrefix("-"), word != "-" {
      rest.removeFirst()
      var words = [word]
      let (name, attached) = ArgumentParser<GlobalOptions>.split(word)
      if let parameter = parser.named(name), parameter.shape == .value, attached == nil, let value = rest.popFirst() {
        words.append(value)
      }
      try parser.parse(words, into: &common)
    }
    return rest
  }

  private static func read(
    _ command: CommandEntry, _ arguments: [String], _ common: GlobalOptions
  ) throws(UsageError) -> (GlobalOptions, (Context) throws -> ExitCode) {
    do throws(UsageError) {
      return try command.read(arguments, common)
    } catch {
      throw UsageError(error.message, hint: "\(command.usage)\n        wherry \(command.name) --help says more.")
    }
  }

  private static func perform(_ action: (Context) throws -> ExitCode, _ options: GlobalOptions) -> ExitCode {
    let output = Output(options)
    do {
      let exit = try action(Context(options: options, output: output))
      do { try output.check() } catch is EnoughRead {}
      return exit
    } catch is EnoughRead {
      return .done
    } catch {
      return end(Failure(of: error), output)
    }
  }

  private static func end(_ failure: Failure, _ output: Output) -> ExitCode {
    Terminal.restore()
    output.failure(failure)
    return failure.exit
  }

  private static func help(_ word: String?) -> ExitCode {
    say(commands.first { $0.name == word }?.help ?? Help.overview(commands))
  }

  private static func say(_ text: String) -> ExitCode {
    let text = text.hasSuffix("\n") ? text : text + "\n"
    return writeAll(STDOUT_FILENO, Array(text.utf8)) == nil ? .done : .failed
  }
}
