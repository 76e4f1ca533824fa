import Browsers
import Resources
import Transfer

/// What `--resources` and `--resources-into` name: files of an app, beside records.
struct AppFiles {
  /// A manifest for each browser that has a ready one: only what means the same on another machine.
  private static func ready(_ browser: Browser) -> ResourceManifest {
    switch browser.family {
    case .firefox:
      // Settings written by hand, style sheets, the own dictionary, search engines, exceptions for certificates.
      ResourceManifest(
        id: "org.mozilla.firefox", version: "1",
        paths: ["user.js", "chrome", "persdict.dat", "search.json.mozlz4", "cert_override.txt"],
        excludes: [".DS_Store", "*.tmp"])
    case .chromium:
      // Its preferences name this machine's folders and are sealed to it: only the own dictionary is safe to carry.
      ResourceManifest(id: "org.chromium.\(browser.word)", version: "1", paths: ["Custom Dictionary.txt"])
    }
  }

  /// The files that a word names: `firefox`, `chromium:NAME` … for a ready manifest, or a manifest's file.
  static func export(_ text: String) throws -> ResourceExport {
    let manifest: ResourceManifest
    let word = text.split(separator: ":").first.map(String.init) ?? text
    if let browser = Browser(rawValue: word) {
      var ready = ready(browser)
      ready.root = try ProfileDiscovery.current().profile(text).path
      manifest = ready
    } else {
      do { manifest = try ResourceManifest(file: text) } catch { throw Failure(error, of: text) }
      if manifest.root == nil {
        throw Failure(
          .badInput, "\(visible(text)): \"root\" is missing.", hint: "It says which folder the paths are in.")
      }
    }
    do {
      return try ResourceExport(manifest)
    } catch {
      throw Failure(error, of: text)
    }
  }

  /// The folder that a word names: a browser's profile, or a path. A profile that is open is refused.
  static func destination(_ text: String) throws -> ResourceImport {
    let word = text.split(separator: ":").first.map(String.init) ?? text
    let profile =
      Browser(rawValue: word) == nil
      ? ProfileDiscovery.recognise(path: text) : try ProfileDiscovery.current().profile(text)
    if let profile, try profile.open().isOpen {
      throw Failure(.inUse, "\(profile.browser.name) is open.", hint: "Close it: its files change as a whole.")
    }
    return place(Sources.lasting(profile?.path ?? text))
  }

  /// Into a folder; a browser's profile is kept from its browser while files are put in place.
  static func place(_ path: String) -> ResourceImport {
    guard let profile = ProfileDiscovery.recognise(path: path) else { return ResourceImport(into: path) }
    return ResourceImport(destination: path) { staging, _ in
      let hold: ProfileHold
      do throws(ProfileError) {
        hold = try ProfileHold(of: profile)
      } catch {
        if case .inUse = error { throw ResourceError.inUse }
        throw ResourceError.system("taking the profile", "its lock cannot be had")
      }
      return try withExtendedLifetime(hold) {
        try ContainerChange.overlay(staging.treePath, onto: staging.destination)
      }
    }
  }
}

extension Failure {
  /// Of an app's files, named as the person knows them.
  fileprivate init(_ error: ResourceError, of name: String) {
    let name = visible(name)
    switch error {
    case .notFound:
      self.init(
        .notFound, "\(name): there are no such files.", hint: "Look at the path, and at what the manifest names.")
    case .manifest(let reason): self.init(.badInput, "\(name) is no manifest: \(visible(reason)).")
    case .inUse, .full, .denied, .system, .malformed, .damaged, .garbled, .hung:
      self.init(of: TransferError(cause: error))
    }
  }
}
