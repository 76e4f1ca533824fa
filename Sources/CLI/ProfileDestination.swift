import Binding
import Browsers
import BrowsingData
import Glibc
import Store

/// A profile to be written.
struct ProfileDestination {
  let reference: ProfileReference
  /// What the person called it.
  let words: String

  private var browser: String { reference.browser.name }

  /// Throws when nothing can be written there now: the browser runs, or its files are of a version that is not known.
  func check(_ context: Context) throws { try open(context, dryRun: false, password: nil).abandon() }

  /// Waits until the browser is closed.
  func waitUntilClosed(_ context: Context) throws {
    let profile = try reference.open()
    if profile.isOpen { context.output.note("Waiting until \(browser) is closed …") }
    while profile.isOpen {
      try Interruption.shared.check()
      sleep(1)
    }
  }

  /// Delivers records of a source, and says what the browser cannot hold; changes nothing in a dry run. A primary password
  /// that is needed is asked for.
  func deliver(
    _ source: any RecordSource, _ types: DataTypes, profile: String?, dryRun: Bool, passwordFile: String?,
    _ context: Context
  ) throws -> ApplyReport {
    var password = try passwordFile.map { try Sources.password($0) }
    let display = ProgressDisplay(context.output)
    defer { display.finish() }
    let started = microseconds()
    while true {
      do {
        let editor = try open(context, dryRun: dryRun, password: password)
        let delivery = ProfileDelivery(
          from: StoppableSource(source: source), to: editor, types: types, profile: profile)
        delivery.progress = { done, total in
          // What is done at once needs no bar.
          guard microseconds() - started > 500_000 else { return }
          display.update(.history, done: done, total: total, bytes: 0)
        }
        if dryRun { return try delivery.preview() }
        return try delivery.deliver(journal: try context.openStore(), label: "to \(words)", path: path)
      } catch let error as ProfileError {
        password = try self.password(after: error, had: password, isFile: passwordFile != nil, context)
      }
    }
  }

  /// Takes a delivery into this profile back.
  func takeBack(
    _ entry: JournalEntry, in store: RecordStore, passwordFile: String?, _ context: Context
  ) throws -> ApplyReport {
    var password = try passwordFile.map { try Sources.password($0) }
    while true {
      do {
        let editor = try open(context, dryRun: false, password: password)
        var undo = DeliveryUndo(entry, in: store, through: editor)
        return try undo.run()
      } catch let error as ProfileError {
        password = try self.password(after: error, had: password, isFile: passwordFile != nil, context)
      }
    }
  }

  /// The profile's folder as it is found from anywhere.
  private var path: String {
    guard let whole = realpath(reference.path, nil) else { return reference.path }
    defer { free(whole) }
    return String(cString: whole)
  }

  private func open(_ context: Context, dryRun: Bool, password: String?) throws -> any ProfileEditor {
    let now = WallClock.now
    let name = "\(now.microseconds)-\(getpid())"
    var options = EditorOptions(backups: try context.openHome().backups, name: name, now: now)
    options.isDryRun = dryRun
    options.password = password
    do throws(ProfileError) {
      return try reference.openEditor(options)
    } catch .inUse {
      throw Failure(
        .inUse, "\(browser) has the profile open.", hint: "Close \(browser) and try again, or let --wait wait for it.")
    }
  }

  /// The primary password, when that is what was missing; else the error goes on.
  private func password(
    after error: ProfileError, had password: String?, isFile: Bool, _ context: Context
  ) throws -> String {
    switch error {
    case .secretsLocked where !isFile && context.prompts.canAsk: break
    case .wrongPassword where !isFile && password != nil && context.prompts.canAsk:
      context.output.note("That is not the password.")
    case .notFound, .inUse, .unsupportedSchema, .secretsLocked, .wrongPassword, .corrupt, .unreadable, .unwritable,
      .full,
      .neverStarted:
      throw error
    }
    guard let typed = context.prompts.secret("Primary password of \(browser):"), !typed.isEmpty else { throw error }
    return typed
  }
}

/// A source that stops when the person does; nothing is then written.
private struct StoppableSource: RecordSource {
  let source: any RecordSource
  var types: DataTypes { source.types }

  func counts() throws -> RecordCounts { try source.counts() }
  func counts(of types: DataTypes) throws -> RecordCounts { try source.counts(of: types) }

  func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    try source.read(types) { batch in
      try Interruption.shared.check()
      try consume(batch)
    }
  }
}
