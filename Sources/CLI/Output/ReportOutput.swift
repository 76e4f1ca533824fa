import BrowsingData

/// The closing report: one event, and a table for people.
extension Output {
  /// Says what was done. `transfer` is the UUID of a transfer; `isPreview` when nothing was written.
  func report(_ report: ApplyReport, transfer: String? = nil, isPreview: Bool = false) {
    event("report") { json in
      json.reportFields(of: report)
      json.field("transfer", transfer)
      if isPreview { json.field("dry_run", true) }
    }
    showTable(report)
    showRemarks(report, .skipped, heading: "Skipped")
    showRemarks(report, .warning, heading: "Taken, but look at these")
    if report.remarksLeftOut > 0 {
      note("  … and \(grouped(report.remarksLeftOut)) more remarks than a report holds.")
    }
    showLosses(report.losses, isPreview: isPreview)
  }

  /// The exit status that goes with a report.
  static func exit(for report: ApplyReport) -> ExitCode { report.isPartial ? .partial : .done }

  private func showTable(_ report: ApplyReport) {
    let types = DataType.allCases.filter { report.types[$0] != nil }
    if types.isEmpty { return result("Nothing to take.") }
    let headings = ["", "found", "added", "changed", "unchanged", "skipped", "conflicts", "removed"]
    let rows = types.map { type -> [String] in
      let figures = report[type]
      let numbers = [
        figures.found, figures.added, figures.changed, figures.unchanged, figures.skipped, figures.conflicts,
        figures.removed,
      ]
      return [type.name] + numbers.map(grouped)
    }
    // Columns in which there is nothing to see are left out.
    let shown = headings.indices.filter { index in
      index < 3 || index == 4 || rows.contains { $0[index] != "0" }
    }
    for line in table([headings] + rows, columns: shown) { result(line) }
  }

  private func table(_ rows: [[String]], columns shown: [Int]) -> [String] {
    let widths = shown.map { column in rows.map { columns($0[column]) }.max() ?? 0 }
    return rows.map { row in
      zip(shown, widths).map { column, width in
        column == 0 ? padded(row[column], to: width) : aligned(row[column], to: width)
      }.joined(separator: "  ")
    }
  }

  private func showRemarks(_ report: ApplyReport, _ kind: Remark.Kind, heading: String) {
    let remarks = report.remarks.filter { $0.kind == kind }
    if remarks.isEmpty { return }
    let most = isVerbose ? remarks.count : 10
    note("\(heading):")
    for remark in remarks.prefix(most) {
      let place =
        switch remark.place {
        case .id(let id): " \(visible(id))"
        case .line(let line): " line \(line)"
        case .none: ""
        }
      note("  \(remark.type?.name ?? "file")\(place): \(visible(remark.reason))")
    }
    if remarks.count > most { note("  … and \(grouped(remarks.count - most)) more (--verbose shows all).") }
  }

  private func showLosses(_ losses: [Loss], isPreview: Bool) {
    if losses.isEmpty { return }
    note(isPreview ? "What the destination cannot hold:" : "What the destination could not hold:")
    for loss in losses {
      note("  \(loss.type.name), \(loss.field): \(counted(loss.count, "record")) (\(visible(loss.why)))")
    }
  }
}

extension JSONWriter {
  /// The fields of a report.
  mutating func reportFields(of report: ApplyReport) {
    key("types")
    object { json in
      for type in DataType.allCases {
        guard let figures = report.types[type] else { continue }
        json.key(type.name)
        json.object { $0.fields(of: figures) }
      }
    }
    key("skipped")
    remarks(report.remarks, .skipped)
    key("warnings")
    remarks(report.remarks, .warning)
    if report.remarksLeftOut > 0 { field("remarks_left_out", report.remarksLeftOut) }
    key("losses")
    array { json in
      for loss in report.losses { json.object { $0.fields(of: loss) } }
    }
  }

  private mutating func fields(of figures: ApplyReport.Figures) {
    field("found", figures.found)
    field("added", figures.added)
    field("changed", figures.changed)
    field("unchanged", figures.unchanged)
    field("skipped", figures.skipped)
    field("conflicts", figures.conflicts)
    if figures.removed > 0 { field("removed", figures.removed) }
  }

  private mutating func fields(of loss: Loss) {
    field("type", loss.type.name)
    field("field", loss.field)
    field("count", loss.count)
    field("why", loss.why)
  }

  private mutating func remarks(_ remarks: [Remark], _ kind: Remark.Kind) {
    array { json in
      for remark in remarks where remark.kind == kind {
        json.object { json in
          json.field("type", remark.type?.name)
          switch remark.place {
          case .id(let id): json.field("id", id)
          case .line(let line): json.field("line", line)
          case .none: break
          }
          json.field("reason", remark.reason)
        }
      }
    }
  }

  /// An object of types, each with its count.
  mutating func counts(_ counts: RecordCounts, of types: DataTypes) {
    object { json in
      for type in types.each { json.field(type.name, counts[type]) }
    }
  }
}
