import Browsers
import BrowsingData
import Store

/// `attach`: a browser profile that is kept in step with this store.
struct AttachCommand: Command {
  var source: String?
  var types: DataTypes?

  static let name = "attach"
  static let summary = "keep a browser profile in step with this store"
  static let details = """
    From now on wherry sync takes what changes in the profile, and brings into it, while its browser is closed, what
    came from other machines. Nothing is ever deleted because a profile is empty, new or gone.
    """
  static var parameters: [Parameter<AttachCommand>] {
    [
      .operand("SOURCE", \.source, "firefox[:NAME] or a profile's folder", required: true),
      .option("types", "TYPES", \.types, "only these (default: all but passwords and cards)"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    guard let source else { throw UsageError("SOURCE is missing.") }
    let reference = try AttachedProfiles.reference(source)
    let store = try context.openStore()
    guard try !store.attachments().contains(where: { $0.path == reference.path }) else {
      throw Failure(.declined, "\(visible(source)) is attached already.", hint: "wherry status shows it.")
    }
    let attachment = try store.attach(
      Attachment(
        path: reference.path, words: source, types: types ?? .withoutSecrets, attachedAt: WallClock.now))
    let profiles = AttachedProfiles(context, force: false)
    do {
      let report = try Interruption.shared.during { try profiles.scan(attachment, in: store) }
      context.output.report(report)
    } catch {
      try? store.detach(attachment)
      throw error
    }
    context.output.note("Attached. wherry sync keeps it in step; wherry detach \(visible(source)) ends that.")
    return .done
  }
}
