import BrowsingData
import Formats
import Glibc
import Store

/// `export`: the store, or another source, into a file or a profile.
struct ExportCommand: Command {
  var destination: String?
  var types: DataTypes?
  var from: String?
  var dryRun = false
  var profile: String?
  var wait = false
  var passwordFile: String?

  static let name = "export"
  static let summary = "write the store, or another source, into a file or a browser's profile"
  static let details = """
    DEST is a profile: firefox[:NAME], chromium[:PROFILE] and its family, or a folder. What is there stays, what is
    missing is added, and `wherry undo` takes it back. The browser must be closed.
    Or it is a format and a path: safari:out.zip, html:marks.html (or html-firefox:, html-chromium:, html-safari:),
    json:backup.json (Firefox), chromium-json:Bookmarks, csv-firefox:, csv-chromium:, csv-safari:logins.csv.
    Files with passwords or cards are readable by you alone, and not encrypted.
    """
  static var parameters: [Parameter<ExportCommand>] {
    [
      .operand("DEST", \.destination, "where to: a profile, or a file with its format", required: true),
      .option("types", "TYPES", \.types, "only these: \(list(DataType.stored.map(\.name))), all"),
      .option("from", "SOURCE", \.from, "a path or a profile instead of the store"),
      .flag("dry-run", \.dryRun, "say what would be new and what cannot be held; write nothing"),
      .option("profile", "NAME", \.profile, "only the records of this profile of the source"),
      .flag("wait", \.wait, "wait until the browsers are closed"),
      .option("password-file", "FILE", \.passwordFile, "the primary password of the profile; - reads standard input"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    let destination = try Destination(self.destination ?? "")
    return try Interruption.shared.during {
      if case .profile(let profile) = destination {
        if wait, !dryRun { try profile.waitUntilClosed(context) }
        // Said before anything is read.
        if !dryRun { try profile.check(context) }
      }
      guard let from, from != Sources.store else {
        return try write(try context.openStore(), to: destination, remarks: [], context)
      }
      let sources = Sources(context, passwordFile: passwordFile)
      if wait { try sources.waitUntilClosed(from) }
      let opened = try sources.open(from)
      let store = try context.openTemporaryStore()
      let run = try store.beginImport(ImportOptions(kind: .file, label: opened.label))
      try opened.pour(wanted(of: destination), into: run, context)
      return try write(store, to: destination, remarks: try run.finish().remarks, context)
    }
  }

  /// What to read of another source; nil for all that it holds.
  private func wanted(of destination: Destination) -> DataTypes? {
    switch destination {
    case .file(let file): types.map { $0.intersection(file.types) } ?? file.types
    case .profile: types
    }
  }

  private func write(
    _ store: RecordStore, to destination: Destination, remarks: [Remark], _ context: Context
  ) throws -> ExitCode {
    if let profile { try ProfileLabels.require(profile, in: store.source()) }
    return switch destination {
    case .file(let file): try write(store, to: file, remarks: remarks, context)
    case .profile(let profile): try write(store, to: profile, remarks: remarks, context)
    }
  }

  private func write(
    _ store: RecordStore, to destination: ProfileDestination, remarks: [Remark], _ context: Context
  ) throws -> ExitCode {
    var source = store.source()
    source.isPaged = true
    // The password file opens the source, where there is one; else the destination.
    let file = from == nil || from == Sources.store ? passwordFile : nil
    var report = try destination.deliver(
      source, types ?? .all, profile: profile, dryRun: dryRun, passwordFile: file, context)
    for remark in remarks { report.add(remark) }
    if dryRun { context.output.note("Nothing was changed. This is what would happen:") }
    context.output.report(report, isPreview: dryRun)
    if !dryRun, report.types.values.contains(where: { $0.added > 0 || $0.changed > 0 }) {
      context.output.note("It is in \(visible(destination.words)). wherry undo takes it back.")
    }
    return Output.exit(for: report)
  }

  private func write(
    _ store: RecordStore, to destination: FileDestination, remarks: [Remark], _ context: Context
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
    var report = try destination.write(store.source(), wanted, profile: profile, dryRun: dryRun)
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
