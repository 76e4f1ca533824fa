internal import Glibc

/// Where this device keeps its things: three folders that only this user may enter.
package struct Home: Sendable, Hashable {
  /// The store, open transfers, backups.
  package let data: String
  /// The lease and what else is no content.
  package let state: String
  /// The keys.
  package let config: String

  /// The store's file.
  package var storePath: String { data + "/store.sqlite" }
  /// The folder that former contents of profiles' files are kept below.
  package var backups: String { data + "/backups" }
  /// The folder of one transfer's own store.
  package func transferFolder(token: String) -> String { data + "/transfers/" + token }

  /// Makes that folder, if it is not there.
  package func makeTransferFolder(token: String) throws(StoreError) -> String {
    let path = transferFolder(token: token)
    try PrivateFile.makeFolder(path)
    return path
  }

  /// Opens or makes the home: `root`/data, /state and /config, or the XDG folders of this user with `wherry` below them.
  /// Sets the process's umask, so that nothing written later can be read by others; not as a `guest` in another program,
  /// whose files are its own matter. Refuses folders that others may enter.
  package static func open(_ root: String?, asGuest: Bool = false) throws(StoreError) -> Home {
    if !asGuest { umask(0o077) }
    let home: Home
    if let root {
      let whole = absolute(root)
      home = Home(data: whole + "/data", state: whole + "/state", config: whole + "/config")
    } else {
      home = Home(
        data: try folder("XDG_DATA_HOME", ".local/share"), state: try folder("XDG_STATE_HOME", ".local/state"),
        config: try folder("XDG_CONFIG_HOME", ".config"))
    }
    for path in [home.data, home.state, home.config] { try PrivateFile.makeFolder(path) }
    return home
  }

  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }

  private static func folder(_ variable: String, _ standard: String) throws(StoreError) -> String {
    // The XDG base directory specification: a relative path is to be ignored.
    if let value = getenv(variable).map({ String(cString: $0) }), value.hasPrefix("/") { return value + "/wherry" }
    guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
      throw .file("HOME", "names no folder")
    }
    return home + "/" + standard + "/wherry"
  }
}
