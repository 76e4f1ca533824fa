import BrowsingData
import Glibc
import Resources
import Wire

extension FuzzTarget {
  /// Batches of the log of resources, each with its length before it in two bytes, as an importer takes them: whatever
  /// they say, nothing is written outside of the staging folder, and its cursor is true.
  static let resources = FuzzTarget(name: "resources") { bytes in
    let place = try Place()
    defer { place.remove() }
    do {
      let staging = try ResourceStaging(destination: place.path + "/app", token: "fuzz")
      defer { staging.discard() }
      try take(bytes, into: staging)
    } catch {}
    require(place.isUntouched, "nothing outside of the staging folder changes")
  }

  private static func take(_ bytes: [UInt8], into staging: ResourceStaging) throws {
    var rest = bytes[...]
    var room: Int64 = 1 << 32
    while rest.count >= 2 {
      let size = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
      let part = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      guard case .resources(let pieces) = try RecordCodec.decode(part).content else { continue }
      for case .zeros(let count) in pieces {
        // Hashing an enormous hole takes its time: that is no find.
        guard count <= room else { return }
        room -= count
      }
      let length = pieces.reduce(Int64(0)) { $0 &+ $1.length }
      let before = staging.cursor
      do throws(ResourceError) {
        _ = try staging.apply(pieces, from: before)
        require(staging.cursor == before &+ length, "the cursor goes by the pieces' length")
      } catch {
        require(staging.cursor <= before, "a batch that is refused moves nothing on")
        if error != .damaged { return }
      }
    }
  }

  /// A folder in memory with a file and a folder that must stay as they are.
  private struct Place {
    let path: String

    init() throws {
      var name = Array("/dev/shm/wherry-fuzz-XXXXXX".utf8CString)
      guard let made = mkdtemp(&name) else { throw CancelledRun() }
      path = String(cString: made)
      mkdir(path + "/outside", 0o700)
    }

    struct CancelledRun: Error {}

    /// The folder beside is empty, and nothing else is there once staging has gone.
    var isUntouched: Bool {
      rmdir(path + "/outside") == 0 && rmdir(path) == 0
    }

    func remove() { rmdir(path) }
  }
}
