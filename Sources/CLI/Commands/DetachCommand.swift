import Browsers
import Store

/// `detach`: ends that a profile is kept in step.
struct DetachCommand: Command {
  var source: String?

  static let name = "detach"
  static let summary = "no longer keep a browser profile in step; what is there and here stays"
  static let details = ""
  static var parameters: [Parameter<DetachCommand>] {
    [.operand("SOURCE", \.source, "as it was attached, or its folder", required: true)]
  }

  func run(_ context: Context) throws -> ExitCode {
    guard let source else { throw UsageError("SOURCE is missing.") }
    let store = try context.openStore()
    let path = try? AttachedProfiles.reference(source).path
    guard let attachment = try store.attachments().first(where: { $0.words == source || $0.path == path ?? source })
    else {
      throw Failure(.notFound, "\(quoted(source)) is not attached.", hint: "wherry status shows what is.")
    }
    try store.detach(attachment)
    context.output.result("\(visible(attachment.words)) is no longer kept in step.")
    return .done
  }
}
