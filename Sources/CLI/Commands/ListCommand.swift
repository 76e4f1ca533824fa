import BrowsingData
import Store

/// `list`: reads records, of the store or of a source.
struct ListCommand: Command {
  var type: DataType?
  var from: String?
  var search: String?
  var limit: Int?
  var reveal = false
  var passwordFile: String?

  static let name = "list"
  static let summary = "show records of the store, a file or a profile"
  static let details = "TYPE is one of: \(CLI.list(DataType.stored.map(\.name)))."
  static var parameters: [Parameter<ListCommand>] {
    [
      .operand("TYPE", \.type, "the type of records", required: true),
      .option("from", "SOURCE", \.from, "a path or a profile instead of the store"),
      .option("search", "TEXT", \.search, "only records that hold this text"),
      .option("limit", "N", \.limit, "at most so many"),
      .flag("reveal", \.reveal, "show passwords, one-time secrets and whole card numbers"),
      .option("password-file", "FILE", \.passwordFile, "the primary password of the profile; - reads standard input"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    guard let type else { throw UsageError("TYPE is missing.") }
    if let from, from != Sources.store {
      return try withTemporaryStore(of: type, from: from, context) { try list(type, of: $0, context) }
    }
    try list(type, of: try context.openStore(), context)
    return .done
  }

  /// Through a store of its own: the same ids and links as an import into an empty home gives.
  private func withTemporaryStore(
    of type: DataType, from: String, _ context: Context, _ body: (RecordStore) throws -> Void
  ) throws -> ExitCode {
    let source = try Sources(context, passwordFile: passwordFile).open(from)
    return try Interruption.shared.during {
      let store = try context.openTemporaryStore()
      let run = try store.beginImport(ImportOptions(kind: .file, label: source.label))
      try source.pour(DataTypes(type), into: run, context)
      let report = try run.finish()
      try body(store)
      if !report.remarks.isEmpty { context.output.report(report) }
      return Output.exit(for: report)
    }
  }

  private func list(_ type: DataType, of store: RecordStore, _ context: Context) throws {
    var lines = RecordLines(context.output, revealing: reveal)
    try Interruption.shared.during {
      try store.list(type, search: search, limit: limit) { record in
        lines.add(record)
        if lines.isFull {
          lines.flush()
          try context.output.check()
          try Interruption.shared.check()
        }
      }
    }
    lines.flush()
    if lines.count == 0, !context.output.isJSON { context.output.note("No \(type.name).") }
  }
}
