internal import CSystemd

/// The desktop's keyring, asked over the session's bus: the Secret Service, as GNOME's and KDE's keyrings answer it. It is
/// only asked for what it holds open: nothing is started, unlocked or made, and nobody sees a dialog.
struct Keyring {
  /// Why there is no secret.
  enum Absence: Error, Equatable {
    /// No bus, or nobody on it that keeps secrets.
    case notRunning
    /// The keyring that has it is locked.
    case locked
    /// The keyring has none of this name.
    case unknown

    /// In words that follow "a secret of the desktop's keyring".
    var reason: String {
      switch self {
      case .notRunning: "which does not run here"
      case .locked: "which is locked"
      case .unknown: "which has none for this browser"
      }
    }
  }

  private static let name = "org.freedesktop.secrets"
  private static let path = "/org/freedesktop/secrets"
  /// Nobody waits longer for a keyring than for a profile.
  private static let patience: UInt64 = 5_000_000
  /// More items of one name nobody has.
  private static let maximumItems = 64

  private let bus: OpaquePointer

  /// Whether somebody who keeps secrets answers.
  static var isRunning: Bool {
    guard let bus = connect(nil) else { return false }
    defer { sd_bus_flush_close_unref(bus) }
    return (try? Keyring(bus: bus).openSession()) != nil
  }

  /// What it keeps for an application, over the user's session bus or the one at an address.
  static func secrets(application: String, bus address: String? = nil) throws(Absence) -> [[UInt8]] {
    guard let bus = connect(address) else { throw .notRunning }
    defer { sd_bus_flush_close_unref(bus) }
    return try Keyring(bus: bus).secrets(application)
  }

  private static func connect(_ address: String?) -> OpaquePointer? {
    var bus: OpaquePointer?
    guard let address else { return sd_bus_open_user(&bus) >= 0 ? bus : nil }
    guard sd_bus_new(&bus) >= 0 else { return nil }
    if sd_bus_set_address(bus, address) >= 0, sd_bus_set_bus_client(bus, 1) >= 0, sd_bus_start(bus) >= 0 { return bus }
    sd_bus_unref(bus)
    return nil
  }

  /// What the keyring keeps for an application, each an item's bytes.
  private func secrets(_ application: String) throws(Absence) -> [[UInt8]] {
    let session = try openSession()
    let items = try search(application)
    var secrets: [[UInt8]] = []
    for item in items.unlocked.prefix(Keyring.maximumItems) {
      if let secret = secret(of: item, session) { secrets.append(secret) }
    }
    if secrets.isEmpty { throw items.locked.isEmpty ? .unknown : .locked }
    return secrets
  }

  /// A session in which secrets go over the bus, which only this user can read, as they are.
  private func openSession() throws(Absence) -> String {
    let session = call(Keyring.path, "org.freedesktop.Secret.Service", "OpenSession") { message in
      append(message, "plain") && sd_bus_message_open_container(message, Keyring.variant, "s") >= 0
        && append(message, "") && sd_bus_message_close_container(message) >= 0
    } reading: { reply -> String? in
      guard sd_bus_message_skip(reply, "v") >= 0 else { return nil }
      return text(reply, Keyring.object)
    }
    guard let session else { throw .notRunning }
    return session
  }

  private func search(_ application: String) throws(Absence) -> (unlocked: [String], locked: [String]) {
    let found = call(Keyring.path, "org.freedesktop.Secret.Service", "SearchItems") { message in
      sd_bus_message_open_container(message, Keyring.array, "{ss}") >= 0
        && sd_bus_message_open_container(message, Keyring.entry, "ss") >= 0
        && append(message, "application") && append(message, application)
        && sd_bus_message_close_container(message) >= 0 && sd_bus_message_close_container(message) >= 0
    } reading: { reply -> (unlocked: [String], locked: [String])? in
      guard let unlocked = paths(reply), let locked = paths(reply) else { return nil }
      return (unlocked, locked)
    }
    guard let found else { throw .notRunning }
    return found
  }

  private func secret(of item: String, _ session: String) -> [UInt8]? {
    call(item, "org.freedesktop.Secret.Item", "GetSecret") { message in
      session.withCString { sd_bus_message_append_basic(message, Keyring.object, $0) >= 0 }
    } reading: { reply -> [UInt8]? in
      guard sd_bus_message_enter_container(reply, Keyring.structure, "oayays") > 0,
        sd_bus_message_skip(reply, "oay") >= 0
      else { return nil }
      var start: UnsafeRawPointer?
      var count = 0
      guard sd_bus_message_read_array(reply, Keyring.byte, &start, &count) > 0, let start else { return nil }
      return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
  }

  // MARK: - Messages

  private static let variant = CChar(UInt8(ascii: "v"))
  private static let array = CChar(UInt8(ascii: "a"))
  private static let entry = CChar(UInt8(ascii: "e"))
  private static let structure = CChar(UInt8(ascii: "r"))
  private static let object = CChar(UInt8(ascii: "o"))
  private static let string = CChar(UInt8(ascii: "s"))
  private static let byte = CChar(UInt8(ascii: "y"))

  /// Calls a method of whoever keeps secrets now; nil when nobody does, or it does not answer so.
  private func call<T>(
    _ path: String, _ interface: String, _ member: String, writing: (OpaquePointer) -> Bool,
    reading: (OpaquePointer) -> T?
  ) -> T? {
    var made: OpaquePointer?
    guard sd_bus_message_new_method_call(bus, &made, Keyring.name, path, interface, member) >= 0, let made else {
      return nil
    }
    defer { sd_bus_message_unref(made) }
    guard sd_bus_message_set_auto_start(made, 0) >= 0, writing(made) else { return nil }
    var reply: OpaquePointer?
    guard sd_bus_call(bus, made, Keyring.patience, nil, &reply) >= 0, let reply else { return nil }
    defer { sd_bus_message_unref(reply) }
    return reading(reply)
  }

  private func append(_ message: OpaquePointer, _ text: String) -> Bool {
    text.withCString { sd_bus_message_append_basic(message, Keyring.string, $0) >= 0 }
  }

  private func text(_ message: OpaquePointer, _ type: CChar) -> String? {
    var start: UnsafePointer<CChar>?
    guard withUnsafeMutablePointer(to: &start, { sd_bus_message_read_basic(message, type, $0) }) > 0 else { return nil }
    return start.map { String(cString: $0) }
  }

  private func paths(_ message: OpaquePointer) -> [String]? {
    guard sd_bus_message_enter_container(message, Keyring.array, "o") > 0 else { return nil }
    var paths: [String] = []
    while let path = text(message, Keyring.object) { paths.append(path) }
    return sd_bus_message_exit_container(message) >= 0 ? paths : nil
  }
}
