import Channel
import Glibc
import Testing

@Suite struct AdvertisementTests {
  @Test func `door digits are told only while a code is shown`() {
    #expect(Advertisement(door: nil).strings == ["v=1"])
    #expect(Advertisement(door: 48).strings == ["v=1", "d=48"])
    #expect(Advertisement(door: 7).strings == ["v=1", "d=07"])
    #expect(Advertisement(door: 100).strings == ["v=1"])
  }

  @Test func `it reads as it is written, in any order and among unknown strings`() {
    for door in [nil, 0, 9, 48, 99] as [UInt8?] {
      let strings = Advertisement(door: door).strings.map { Array($0.utf8) }
      #expect(Advertisement(strings: strings) == Advertisement(door: door))
      #expect(Advertisement(strings: [[0, 255], []] + strings.reversed()) == Advertisement(door: door))
    }
  }

  @Test(arguments: ["d=", "d=1", "d=123", "d=x1", "d=1x", "d=-1", "d=+1"])
  func `door digits that are none count as none`(text: String) {
    #expect(Advertisement(strings: ["v=1", text].map { Array($0.utf8) }) == Advertisement(door: nil))
  }

  @Test func `two different door digits count as none, another version is nobody`() {
    #expect(Advertisement(strings: ["v=1", "d=11", "d=22"].map { Array($0.utf8) }) == Advertisement(door: nil))
    #expect(Advertisement(strings: [Array("v=2".utf8)]) == nil)
    #expect(Advertisement(strings: []) == nil)
  }
}

@Suite(.serialized) struct DiscoveryTests {
  @Test func `without a system bus both directions say that they are unavailable`() async {
    // In a process of its own: the bus library reads the address once.
    await #expect(processExitsWith: .success) {
      setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
      #expect(throws: DiscoveryError.self) { try Discovery.browse(until: .after(seconds: 1)) }
      #expect(throws: DiscoveryError.self) { try Advertiser(port: 9, Advertisement(door: nil)) }
    }
  }

  @Test(.enabled("an Avahi daemon is needed") { (try? Discovery.browse(until: .now)) != nil })
  func `with a daemon what is advertised is found, and a change is seen`() throws {
    let advertiser = try Advertiser(port: 40_123, Advertisement(door: 48))
    let other = try Advertiser(port: 40_124, Advertisement(door: nil))
    #expect(advertiser.name != other.name)
    let found = try Discovery.browse(until: .after(seconds: 20)) { devices in
      devices.contains { $0.name == advertiser.name } && devices.contains { $0.name == other.name }
    }
    let device = try #require(found.first { $0.name == advertiser.name })
    #expect(device.door == 48)
    #expect(device.endpoints.allSatisfy { $0.port == 40_123 })
    #expect(found.first { $0.name == other.name }?.door == nil)
    advertiser.change(to: Advertisement(door: nil))
    let deadline = Deadline.after(seconds: 20)
    var isGone = false
    while !isGone && !deadline.hasPassed {
      let again = try Discovery.browse(until: .after(seconds: 5)) { devices in
        devices.contains { $0.name == advertiser.name }
      }
      isGone = again.contains { $0.name == advertiser.name && $0.door == nil }
    }
    #expect(isGone)
  }
}
