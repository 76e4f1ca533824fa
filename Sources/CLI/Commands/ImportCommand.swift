import BrowsingData
import Store

/// `import`: files and profiles into the store.
struct ImportCommand: Command {
  var sources: [String] = []
  var types: DataTypes?
  var dryRun = false
  var intoFolder: String?
  var passwordFile: String?
  var force = false

  static let name = "import"
  static let summary = "take files or browser profiles into the store"
  static let details = """
    Files are recognised by what they hold. One import is one entry that `wherry undo` takes back. What is there already
    is not taken twice; nothing is deleted because a file does not hold it.
    """
  static var parameters: [Parameter<ImportCommand>] {
    [
      .operands("SOURCE", \.sources, "a path, firefox[:NAME], chrome[:PROFILE] …", required: true),
      .option("types", "TYPES", \.types, "only these: \(list(DataType.stored.map(\.name))), all"),
      .flag("dry-run", \.dryRun, "say what would be new, equal, changed or in conflict; change nothing"),
      .option("into-folder", "NAME", \.intoFolder, "put the bookmarks below a new folder of this name"),
      .option("password-file", "FILE", \.passwordFile, "the primary password of the profile; - reads standard input"),
      .flag("force", \.force, "go on although more would change than an import should"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    let sources = Sources(context, passwordFile: passwordFile)
    // All are opened before anything is written: a wrong path changes nothing.
    let opened = try self.sources.map { try sources.open($0) }
    let store = try context.openStore()
    var options = ImportOptions(kind: .file, label: list(opened.map(\.label)))
    options.intoFolder = intoFolder
    options.dryRun = dryRun
    options.force = force
    let report = try Interruption.shared.during {
      let run = try store.beginImport(options)
      do {
        for source in opened {
          try run.beginSource()
          try source.pour(types, into: run, context)
        }
        return try run.finish()
      } catch {
        run.abandon()
        throw error
      }
    }
    if dryRun { context.output.note("Nothing was changed. This is what would happen:") }
    context.output.report(report, isPreview: dryRun)
    if !dryRun, report.types.values.contains(where: { $0.added > 0 || $0.changed > 0 }) {
      context.output.note("wherry undo takes it back.")
    }
    return Output.exit(for: report)
  }
}
