import Binding
import Browsers
import BrowsingData
import Foundation
import Store
import Transfer

/// The attached profiles of this home during a sync: looked through before and while it runs, and written when their
/// browsers are closed. Used by one thread.
struct AttachedProfiles {
  private let context: Context
  private let force: Bool

  init(_ context: Context, force: Bool) {
    self.context = context
    self.force = force
  }

  /// The profile that these words or this path mean.
  static func reference(_ text: String) throws -> ProfileReference {
    let word = text.split(separator: ":").first.map(String.init) ?? text
    if Browser(rawValue: word) != nil { return try ProfileDiscovery.current().profile(text) }
    guard let found = ProfileDiscovery.recognise(path: text) else {
      throw Failure(.notFound, "\(quoted(text)) is no browser profile.", hint: "wherry sources lists the profiles.")
    }
    return found
  }

  /// Looks through all of them; trouble with one is said and does not hold up the others.
  func scanAll(_ store: RecordStore) {
    forEach(store) { attachment in
      let report = try scan(attachment, in: store)
      say(report, "From \(visible(attachment.words))")
    }
  }

  /// Brings into each whose browser is closed what the store has.
  func deliverAll(_ store: RecordStore) {
    forEach(store) { attachment in
      guard let report = try deliver(attachment, in: store) else { return }
      say(report, "Into \(visible(attachment.words))")
    }
  }

  private func forEach(_ store: RecordStore, _ body: (Attachment) throws -> Void) {
    for attachment in (try? store.attachments()) ?? [] {
      do {
        try body(attachment)
      } catch {
        let failure = Failure(of: error)
        context.output.warning("\(visible(attachment.words)): \(failure.message) \(failure.hint ?? "")")
      }
    }
  }

  private func say(_ report: ApplyReport, _ words: String) {
    let moved = changes(report.types)
    guard !moved.isEmpty else { return }
    context.output.note("\(words): \(list(moved)).")
  }

  /// Takes what is new in one; its browser may run.
  func scan(_ attachment: Attachment, in store: RecordStore) throws -> ApplyReport {
    let source = try AttachedProfiles.reference(attachment.path).open()
    do {
      do {
        return try AttachedProfile(attachment, in: store).scan(source, force: force)
      } catch let error as ProfileError {
        guard case .secretsLocked = error else { throw error }
        // Without the primary password everything else is kept in step.
        var open = attachment
        open.types.subtract(.secrets)
        return try AttachedProfile(open, in: store).scan(source, force: force)
      }
    } catch let error as BindingError {
      throw try held(attachment, error, in: store)
    }
  }

  /// Nil when its browser runs, or it waits for a person.
  private func deliver(_ attachment: Attachment, in store: RecordStore) throws -> ApplyReport? {
    let reference = try AttachedProfiles.reference(attachment.path)
    guard attachment.hold == nil else { return nil }
    do {
      return try AttachedProfile(attachment, in: store).deliver(force: force) { try open(reference) }
    } catch let error as BindingError {
      throw try held(attachment, error, in: store)
    }
  }

  private func open(_ reference: ProfileReference) throws -> (any ProfileEditor)? {
    let now = WallClock.now
    let options = EditorOptions(
      backups: try context.openHome().backups, name: "\(now.microseconds)-\(getpid())", now: now)
    do throws(ProfileError) {
      return try reference.openEditor(options)
    } catch .inUse {
      return nil
    }
  }

  /// Remembers why a profile is left alone.
  private func held(_ attachment: Attachment, _ error: BindingError, in store: RecordStore) throws -> Failure {
    let failure: Failure
    switch error {
    case .tooManyMissing(let missing, let known):
      failure = Failure(
        .declined, "\(grouped(missing)) of \(grouped(known)) bookmarks are gone from \(visible(attachment.words)).",
        hint: "If you deleted them: wherry sync --force. If the profile was reset: wherry detach and attach it again.")
    case .noForeignIDs:
      failure = Failure(.badInput, "\(visible(attachment.words)) has bookmarks without ids.")
    }
    try store.hold(attachment, failure.message)
    return failure
  }
}
