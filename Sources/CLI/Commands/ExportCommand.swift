import BrowsingData
import Formats
import Glibc
import Store

/// `export`: the store, or another source, into a file.
struct ExportCommand: Command {
  var destination: String?
  var types: DataTypes?
  var from: String?
  var dryRun = false
  var profile: String?
  var wait = false
  var passwordFile: String?

  static let name = "export"
  static let summary = "write the store, or another source, into a file"
  static let details = """
    DEST is a format and a path: safari:out.zip, html:marks.html (or html-firefox:, html-chromium:, html-safari:),
    json:backup.json (Firefox), chromium-json:Bookmarks, csv-firefox:, csv-chromium:, csv-safari:logins.csv.
    Files with passwords or cards are readable by you alone, and not encrypted.
    """
  static var parameters: [Parameter<ExportCommand>] {
    [
      .operand("DEST", \.destination, "where to, with its format", required: true),
      .option("types", "TYPES", \.types, "only these: \(list(DataType.stored.map(\.name))), all"),
      .option("from", "SOURCE", \.from, "a path or a profile instead of the store"),
      .flag("dry-run", \.dryRun, "say what the destination cannot hold; write nothing"),
      .option("profile", "NAME", \.profile, "only the records of this profile of the source"),
      .flag("wait", \.wait, "wait until the browser of the source is closed"),
      .option("password-file", "FILE", \.passwordFile, "the primary password of the profile; - reads standard input"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    let destination = try Destination(self.destination ?? "")
    return try Interruption.shared.during {
      if let from, from != Sources.store {
        let sources = Sources(context, passwordFile: passwordFile)
        if wait { try sources.waitUntilClosed(from) }
        let opened = try sources.open(from)
        let store = try context.openTemporaryStore()
        let run = try store.beginImport(ImportOptions(kind: .file, label: opened.label))
        try opened.pour(types.map { $0.intersection(destination.types) } ?? destination.types, into: run, context)
        return try write(store, to: destination, remarks: try run.finish().remarks, context)
      }
      return try write(try context.openStore(), to: destination, remarks: [], context)
    }
  }

  private func write(
    _ store: RecordStore, to destination: Destination, remarks: [Remark], _ context: Context
  ) throws -> ExitCode {
    let wanted = (types ?? .all).intersection(destination.types)
    if wanted.isEmpty {
      throw UsageError(
        "\(destination.format.word): holds no \(list(types?.each.map(\.name) ?? [])), only \(list(destination.types.each.map(\.name)))."
      )
    }
    for type in types?.subtracting(wanted).each ?? [] {
      context.output.warning("\(destination.format.word): holds no \(type.name); they are left out.")
    }
    var report = try Delivery(profile: profile).pour(store.source(), wanted, into: try destination.sink(dryRun: dryRun))
    for remark in remarks { report.add(remark) }
    if dryRun { context.output.note("Nothing was written. This is what would be:") }
    context.output.report(report, isPreview: dryRun)
    if !dryRun {
      context.output.note("Written: \(visible(destination.path))")
      if report[.passwords].added + report[.cards].added > 0 {
        context.output.warning("The file holds passwords or cards in plain text. Delete it when it has done its work.")
      }
    }
    return Output.exit(for: report)
  }
}
