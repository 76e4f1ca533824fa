/// `doctor`: what is missing or broken on this machine, and how to mend it.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "find out what is missing or broken on this machine, and how to mend it"
  static let details = "Changes nothing. Exits with 1 when something is broken; what is only missing is a hint."
  static var parameters: [Parameter<DoctorCommand>] { [] }

  func run(_ context: Context) throws -> ExitCode {
    let output = context.output
    var broken = 0
    for finding in Examination(context).findings() {
      if finding.state == .broken { broken += 1 }
      output.event("check") { json in
        json.field("name", finding.name)
        json.field("state", finding.state.rawValue)
        json.field("message", finding.message)
        json.field("hint", finding.hint)
      }
      let mark =
        switch finding.state {
        case .sound: output.resultStyle("ok     ", .green)
        case .notice: output.resultStyle("notice ", .yellow)
        case .broken: output.resultStyle("broken ", .red)
        }
      output.result("\(mark)  \(padded(finding.name, to: 9))  \(finding.message)")
      if let hint = finding.hint, finding.state != .sound { output.result("                    \(hint)") }
    }
    if broken > 0 {
      throw Failure(
        .failed, "\(counted(broken, "thing is", "things are")) broken.", hint: "Mend what is listed as broken.")
    }
    return .done
  }
}
