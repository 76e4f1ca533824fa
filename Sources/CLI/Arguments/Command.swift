/// A command: its options are its fields.
protocol Command {
  init()
  /// The word that calls it.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// A few sentences for its own help; may be empty.
  static var details: String { get }
  /// Its options and operands.
  static var parameters: [Parameter<Self>] { get }
  /// Does it. The result is the exit status of what went well; everything else is thrown.
  func run(_ context: Context) throws -> ExitCode
}

/// A command with what it was called with, whatever its type.
struct CommandEntry {
  let name: String
  let summary: String
  let help: String
  let usage: String
  /// Reads the arguments; then gives the common options and what remains to be done.
  let read: ([String], GlobalOptions) throws(UsageError) -> (GlobalOptions, (Context) throws -> ExitCode)

  init<C: Command>(_ type: C.Type) {
    name = C.name
    summary = C.summary
    usage = Help.usage(of: C.self)
    help = Help.text(of: C.self)
    read = { (arguments: [String], common: GlobalOptions) throws(UsageError) in
      var call = Call<C>(common: common, command: C())
      let parser = ArgumentParser<Call<C>>(
        parameters: C.parameters.map { $0.lifted(to: \.command) }
          + GlobalOptions.parameters.map { $0.lifted(to: \.common) })
      // Who asks for help need not get the rest right.
      if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        call.common.help = true
        return (call.common, { _ in .done })
      }
      try parser.parse(arguments, into: &call)
      let ready = call
      return (ready.common, { context in try ready.command.run(context) })
    }
  }
}

private struct Call<C: Command> {
  var common: GlobalOptions
  var command: C
}
