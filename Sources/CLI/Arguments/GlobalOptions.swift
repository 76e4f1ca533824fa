/// The options that every command takes.
struct GlobalOptions {
  var home: String?
  var json = false
  var quiet = false
  var verbose = false
  var yes = false
  var noColor = false
  var help = false
  var version = false

  static var parameters: [Parameter<GlobalOptions>] {
    [
      .option("home", "DIR", \.home, "the device's folder (WHERRY_HOME; default: the XDG folders)"),
      .flag("json", \.json, "one JSON object a line on standard output"),
      .flag("quiet", \.quiet, "say only what went wrong"),
      .flag("verbose", \.verbose, "say more"),
      .flag("yes", \.yes, "ask nothing: agree"),
      .flag("no-color", \.noColor, "no colours (NO_COLOR does the same)"),
      .flag("help", \.help, "explain the command"),
      .flag("version", \.version, "say the version"),
    ]
  }
}
