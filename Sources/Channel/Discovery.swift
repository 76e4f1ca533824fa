internal import CAvahi
internal import Crypto
internal import Glibc
internal import Synchronization

/// Finding devices and being found, through the Avahi daemon.
package enum Discovery {
  /// More advertisements than any home has: who floods the network gets no memory of ours.
  private static let most = 256

  /// Every device that is found until the deadline, or until `isEnough` says so. Blocks its thread.
  package static func browse(
    until deadline: Deadline, waker: Waker? = nil, isEnough: ([FoundDevice]) -> Bool = { _ in false }
  ) throws(DiscoveryError) -> [FoundDevice] {
    let connection = try AvahiConnection()
    let search = Search(connection, most: most)
    return try withExtendedLifetime(search) { () throws(DiscoveryError) in
      try search.start()
      while !deadline.hasPassed {
        try connection.iterate(milliseconds: min(deadline.millisecondsLeft, 100))
        if let waker, waker.take() { break }
        if isEnough(search.devices) { break }
      }
      return search.devices
    }
  }
}

/// A browser and its resolvers on one connection.
private final class Search {
  private let connection: AvahiConnection
  private let most: Int
  private var resolverCount = 0
  private(set) var devices: [FoundDevice] = []

  init(_ connection: AvahiConnection, most: Int) {
    self.connection = connection
    self.most = most
  }

  func start() throws(DiscoveryError) {
    let browser = avahi_service_browser_new(
      connection.client, -1, -1, Advertisement.serviceType, nil, AvahiLookupFlags(rawValue: 0), serviceAppeared,
      Unmanaged.passUnretained(self).toOpaque())
    if browser == nil { throw connection.failure() }
  }

  /// The resolver is freed with the client.
  func resolve(
    _ interface: Int32, _ network: Int32, _ name: UnsafePointer<CChar>, _ type: UnsafePointer<CChar>,
    _ domain: UnsafePointer<CChar>
  ) {
    guard resolverCount < most else { return }
    resolverCount += 1
    avahi_service_resolver_new(
      connection.client, interface, network, name, type, domain, -1, AvahiLookupFlags(rawValue: 0), serviceResolved,
      Unmanaged.passUnretained(self).toOpaque())
  }

  func add(_ name: String, _ endpoint: Endpoint, _ advertisement: Advertisement) {
    if let index = devices.firstIndex(where: { $0.name == name }) {
      if !devices[index].endpoints.contains(endpoint) { devices[index].endpoints.append(endpoint) }
      devices[index].door = advertisement.door
    } else {
      devices.append(FoundDevice(name: name, endpoints: [endpoint], door: advertisement.door))
    }
  }
}

private let serviceAppeared: AvahiServiceBrowserCallback = {
  _, interface, network, event, name, type, domain, _, data in
  guard event == AVAHI_BROWSER_NEW, let data, let name, let type, let domain else { return }
  Unmanaged<Search>.fromOpaque(data).takeUnretainedValue().resolve(interface, network, name, type, domain)
}

private let serviceResolved: AvahiServiceResolverCallback = {
  _, interface, _, event, name, _, _, _, address, port, text, _, data in
  guard event == AVAHI_RESOLVER_FOUND, let data, let name, let address, port != 0,
    let advertisement = Advertisement(strings: strings(of: text)),
    let host = host(of: address, interface: interface)
  else { return }
  let search = Unmanaged<Search>.fromOpaque(data).takeUnretainedValue()
  search.add(String(cString: name), Endpoint(host: host, port: port), advertisement)
}

/// The numeric address; a link-local one with its interface.
private func host(of address: UnsafePointer<AvahiAddress>, interface: Int32) -> String? {
  var buffer = [CChar](repeating: 0, count: 64)
  guard avahi_address_snprint(&buffer, buffer.count, address) != nil else { return nil }
  let text = string(buffer)
  guard text.lowercased().hasPrefix("fe80:") else { return text }
  var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
  guard interface >= 0, if_indextoname(UInt32(interface), &name) != nil else { return nil }
  return text + "%" + string(name)
}

private func string(_ characters: [CChar]) -> String {
  String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func strings(of list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
  var result: [[UInt8]] = []
  var next = list
  while let entry = next, result.count < 32 {
    result.append(
      Array(UnsafeBufferPointer(start: avahi_string_list_get_text(entry), count: avahi_string_list_get_size(entry))))
    next = avahi_string_list_get_next(entry)
  }
  return result
}

/// A connection to the daemon with a loop of its own. One thread at a time.
private final class AvahiConnection {
  let poll: OpaquePointer
  let client: OpaquePointer
  private let waker: Waker?

  /// `waker` ends a wait; it must be taken by whoever waits.
  init(waker: Waker? = nil) throws(DiscoveryError) {
    guard let poll = avahi_simple_poll_new() else { throw .unavailable("out of memory") }
    self.waker = waker
    if let waker { avahi_simple_poll_set_func(poll, waitWithWaker, Unmanaged.passUnretained(waker).toOpaque()) }
    var reason: Int32 = 0
    guard
      let client = avahi_client_new(
        avahi_simple_poll_get(poll), AvahiClientFlags(rawValue: 0), { _, _, _ in }, nil, &reason)
    else {
      avahi_simple_poll_free(poll)
      throw .unavailable(String(cString: avahi_strerror(reason)))
    }
    (self.poll, self.client) = (poll, client)
  }

  deinit {
    avahi_client_free(client)
    avahi_simple_poll_free(poll)
  }

  /// Waits for the daemon and does what it asks; without a time as long as nothing happens.
  func iterate(milliseconds: Int = -1) throws(DiscoveryError) {
    let result = avahi_simple_poll_iterate(poll, Int32(milliseconds))
    // -1 with EINTR is a signal, nothing more.
    if result != 0 && errno != EINTR { throw .unavailable("the daemon's loop ended") }
    if avahi_client_get_state(client) == AVAHI_CLIENT_FAILURE { throw failure() }
  }

  func failure() -> DiscoveryError { .unavailable(String(cString: avahi_strerror(avahi_client_errno(client)))) }
}

/// The wait of a connection's loop: for the daemon's descriptors and the waker.
private let waitWithWaker: AvahiPollFunc = { descriptors, count, milliseconds, data in
  guard let data else { return poll(descriptors, nfds_t(count), milliseconds) }
  let waker = Unmanaged<Waker>.fromOpaque(data).takeUnretainedValue()
  var all = Array(UnsafeBufferPointer(start: descriptors, count: Int(count)))
  all.append(pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0))
  let result = poll(&all, nfds_t(all.count), milliseconds)
  for index in 0..<Int(count) { descriptors?[index].revents = result < 0 ? 0 : all[index].revents }
  return result
}

/// Keeps this device findable until it is stopped or released. From any thread.
///
/// Sendable because `shared` is a lock and the thread's handle is written once, in `init`.
package final class Advertiser: @unchecked Sendable {
  private let shared: Shared
  private let thread: pthread_t

  /// Starts to advertise a port. Throws `unavailable` when there is no daemon now; one that restarts later is found again.
  package init(port: UInt16, _ advertisement: Advertisement) throws(DiscoveryError) {
    let made = try Shared(advertisement)
    let publisher = Publisher(try AvahiConnection(waker: made.waker), port: port, made)
    shared = publisher.shared
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(publisher)
    let result = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Publisher>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    self.thread = thread
    if result != 0 {
      argument.release()
      throw .unavailable("no thread")
    }
  }

  /// The random name of this advertisement: how a search of our own knows it again.
  package var name: String { shared.name }

  /// Changes what is advertised: door digits come and go with the code.
  package func change(to advertisement: Advertisement) { shared.want(advertisement) }

  /// Whether the daemon has confirmed it and no other device has the same name.
  package var isEstablished: Bool { shared.isEstablished.withLock { $0 } }

  deinit {
    shared.want(nil)
    pthread_join(thread, nil)
  }
}

/// What the advertiser and its thread have in common.
private final class Shared: Sendable {
  /// nil: stop.
  let wanted: Mutex<Advertisement?>
  let isEstablished = Mutex(false)
  let name: String
  /// Wakes the thread when what is wanted has changed.
  let waker: Waker

  init(_ advertisement: Advertisement) throws(DiscoveryError) {
    do throws(ChannelError) { waker = try Waker() } catch { throw .unavailable("no event descriptor is left") }
    wanted = Mutex(advertisement)
    name = Random.bytes(6).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
  }

  func want(_ advertisement: Advertisement?) {
    wanted.withLock { $0 = advertisement }
    waker.wake()
  }
}

/// The thread of an advertiser: the only one that touches the connection.
private final class Publisher {
  let shared: Shared
  private let port: UInt16
  private var connection: AvahiConnection?
  private var group: OpaquePointer?
  private var shown: Advertisement?
  private var tryAgain = Deadline.now

  init(_ connection: AvahiConnection, port: UInt16, _ shared: Shared) {
    self.connection = connection
    self.port = port
    self.shared = shared
  }

  /// Sleeps until the daemon has something to say or another advertisement is wanted.
  func run() {
    while let wanted = wanted() {
      do throws(DiscoveryError) {
        try step(wanted)
      } catch {
        // The daemon is away: its objects are gone. Come back in a while.
        (connection, group, shown) = (nil, nil, nil)
        shared.isEstablished.withLock { $0 = false }
        tryAgain = .after(seconds: 10)
      }
    }
  }

  /// A wake is taken before what is wanted is read: none is missed.
  private func wanted() -> Advertisement? {
    shared.waker.take()
    return shared.wanted.withLock { $0 }
  }

  private func step(_ wanted: Advertisement) throws(DiscoveryError) {
    guard let connection else {
      shared.waker.wait(until: tryAgain)
      if tryAgain.hasPassed { self.connection = try AvahiConnection(waker: shared.waker) }
      return
    }
    if avahi_client_get_state(connection.client) == AVAHI_CLIENT_S_RUNNING && shown != wanted {
      try publish(wanted, connection)
    }
    try connection.iterate()
    let isEstablished = group.map { avahi_entry_group_get_state($0) == Int32(AVAHI_ENTRY_GROUP_ESTABLISHED.rawValue) }
    shared.isEstablished.withLock { $0 = isEstablished ?? false }
  }

  private func publish(_ wanted: Advertisement, _ connection: AvahiConnection) throws(DiscoveryError) {
    var list: UnsafeMutablePointer<AvahiStringList>?
    for text in wanted.strings { list = avahi_string_list_add(list, text) }
    defer { avahi_string_list_free(list) }
    let none = AvahiPublishFlags(rawValue: 0)
    if let group {
      let result = avahi_entry_group_update_service_txt_strlst(
        group, -1, -1, none, shared.name, Advertisement.serviceType, nil, list)
      if result < 0 { throw connection.failure() }
    } else {
      guard let group = avahi_entry_group_new(connection.client, { _, _, _ in }, nil) else {
        throw connection.failure()
      }
      self.group = group
      guard
        avahi_entry_group_add_service_strlst(
          group, -1, -1, none, shared.name, Advertisement.serviceType, nil, nil, port, list) >= 0,
        avahi_entry_group_commit(group) >= 0
      else { throw connection.failure() }
    }
    shown = wanted
  }
}
