import Browsers
import BrowsingData
import Channel
import Glibc
import Store
import Transfer

/// Looks over what Wherry needs on this machine.
struct Examination {
  /// One thing that was looked at.
  struct Finding {
    enum State: String { case sound = "ok", notice, broken }
    var name: String
    var state: State
    var message: String
    var hint: String?
  }

  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Looks at everything.
  func findings() -> [Finding] {
    let home = Result { try context.openHome() }
    return [homeFinding(home)] + storeFindings(home) + [identity(home), room(home), port, discovery, clock]
      + keyring + browsers
  }

  private func finding(_ name: String, _ look: () throws -> Finding) -> Finding {
    do {
      return try look()
    } catch {
      let failure = Failure(of: error)
      return Finding(name: name, state: .broken, message: failure.message, hint: failure.hint)
    }
  }

  private func homeFinding(_ home: Result<Home, any Error>) -> Finding {
    finding("home") {
      let home = try home.get()
      for path in [home.data, home.state, home.config] where access(path, R_OK | W_OK | X_OK) != 0 {
        return Finding(
          name: "home", state: .broken, message: "\(visible(path)) cannot be written.",
          hint: "Choose another by --home DIR.")
      }
      return Finding(name: "home", state: .sound, message: "\(visible(home.data)) and its like are yours alone.")
    }
  }

  private func storeFindings(_ home: Result<Home, any Error>) -> [Finding] {
    guard let home = try? home.get() else { return [] }
    let store = finding("store") {
      let faults = try RecordStore.open(home: home).check()
      if !faults.isEmpty {
        return Finding(
          name: "store", state: .broken, message: "The store is damaged: \(visible(list(Array(faults.prefix(3))))).",
          hint: "Export what can be read (wherry export), then move \(visible(home.storePath)) away.")
      }
      return Finding(name: "store", state: .sound, message: "The store is sound.")
    }
    let aside = names(in: home.data).filter {
      $0.contains(".damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
    }
    if aside.isEmpty { return [store] }
    let names = list(aside.map(visible))
    return [
      store,
      Finding(
        name: "store", state: .notice, message: "Damaged stores were set aside: \(names).",
        hint: "They lie in \(visible(home.data)). Keep them until you miss nothing."),
    ]
  }

  private func identity(_ home: Result<Home, any Error>) -> Finding {
    finding("identity") {
      let identity = try DeviceIdentity.open(folder: try home.get().config)
      return Finding(
        name: "identity", state: .sound, message: "This device is \(identity.peerID.description.prefix(8)).")
    }
  }

  private func room(_ home: Result<Home, any Error>) -> Finding {
    finding("disk") {
      var status = statvfs()
      guard statvfs(try home.get().data, &status) == 0 else { throw Failure.system("The disk", errno) }
      let mebibytes = Int(clamping: (UInt64(status.f_bavail) &* UInt64(status.f_frsize)) >> 20)
      if mebibytes < 256 {
        return Finding(
          name: "disk", state: .notice, message: "Only \(grouped(mebibytes)) MiB are free.",
          hint: "A large history needs some hundred MiB. Make room, or choose another disk by --home DIR.")
      }
      return Finding(name: "disk", state: .sound, message: "\(grouped(mebibytes)) MiB are free.")
    }
  }

  private var port: Finding {
    finding("network") {
      let addresses = try Listener().addresses.filter { !$0.isLoopback }
      if addresses.isEmpty {
        return Finding(
          name: "network", state: .notice, message: "This machine has no address but its own.",
          hint: "Connect it to a network.")
      }
      return Finding(
        name: "network", state: .sound, message: "Can listen on \(list(addresses.map(\.host))).",
        hint: nil)
    }
  }

  private var discovery: Finding {
    if access("/run/avahi-daemon/socket", F_OK) == 0 {
      return Finding(name: "discovery", state: .sound, message: "Avahi runs: machines find each other by themselves.")
    }
    return Finding(
      name: "discovery", state: .notice, message: "Avahi does not run: machines do not find each other by themselves.",
      hint: "sudo apt install avahi-daemon; or say where the other machine is: --at HOST:PORT.")
  }

  private var clock: Finding {
    let now = time(nil)
    // 2025-01-01: before this program was written.
    if now < 1_735_689_600 {
      return Finding(
        name: "clock", state: .broken,
        message: "The clock stands at \(CLI.time(Timestamp(microseconds: Int64(now) * 1_000_000))).",
        hint: "Set it: timedatectl set-ntp true.")
    }
    return Finding(name: "clock", state: .sound, message: "The clock is plausible.")
  }

  /// Only of interest where a browser is that locks its logins with it.
  private var keyring: [Finding] {
    let profiles = ProfileDiscovery.current().profiles()
    guard profiles.contains(where: { $0.browser.family == .chromium }) else { return [] }
    if DesktopKeyring.isRunning {
      return [Finding(name: "keyring", state: .sound, message: "The desktop's keyring answers.")]
    }
    return [
      Finding(
        name: "keyring", state: .notice,
        message: "No keyring answers: logins and cards that Chromium has locked with its secret are skipped.",
        hint: "Run Wherry in the desktop session in which the browser runs.")
    ]
  }

  private var browsers: [Finding] {
    let profiles = ProfileDiscovery.current().profiles()
    if profiles.isEmpty {
      return [
        Finding(
          name: "browsers", state: .notice, message: "No browser profile was found.",
          hint: "A path names one: wherry import /path/to/profile")
      ]
    }
    return profiles.map { profile in
      finding("browser") {
        _ = try profile.open().counts()
        return Finding(name: "browser", state: .sound, message: "\(visible(profile.source)) can be read.")
      }
    }
  }

  private func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
    return names.sorted()
  }
}
