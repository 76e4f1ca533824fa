import BrowsingData
import Foundation
import Store
import Wire

/// What a transfer must remember beside the columns of its row, as JSON in `Session.details`.
struct SessionDetails: Codable, Equatable {
  /// How the other device calls itself.
  var peerName = ""
  /// The program that the other device runs, in its own words; nil when it is not known.
  var peerSoftware: String?
  /// Whether this end listens; else it dials.
  var isListener = false
  /// Where this end listens, `HOST:PORT`, so that it can do so again.
  var listening: [String] = []
  /// Where the other end listened, `HOST:PORT`, the last one that answered first.
  var addresses: [String] = []
  /// The words of the command line for each source; none: the main store is sent.
  var sources: [String] = []
  /// Whether the capture went into the main store, to be kept.
  var keep = false
  /// Whether everything that was granted is captured.
  var isCaptured = false
  /// How many records the capture skipped, by the kind's name; nil when none.
  var skipped: [String: Int]?
  /// What was offered, by the kind's name.
  var totals: [String: Int] = [:]
  /// Whether the importer has chosen (`Session.types` says what).
  var isChosen = false
  /// Whether kinds were chosen and granted.
  var isGranted = false
  /// The exporter's store, in hexadecimal, as the importer last heard.
  var peerIncarnation: String?
  /// What is said of an app's files, when some move.
  var resources: Resources?
  /// Where they go here.
  var resourcesInto: String?
  /// How often the digests differed at the end.
  var digestFaults = 0

  /// What is said of an app's files.
  struct Resources: Codable, Equatable {
    var application: String
    var version: String
    var platform: String
    var isCompressible: Bool
    /// About how many bytes.
    var size: Int64

    init(_ note: ResourcesNote, size: Int64) {
      application = note.application
      version = note.version
      platform = note.platform
      isCompressible = note.isCompressible
      self.size = size
    }

    var note: ResourcesNote {
      ResourcesNote(application: application, version: version, platform: platform, isCompressible: isCompressible)
    }
  }

  /// From a row; an unreadable one is empty.
  init(_ session: Session) {
    self.init()
    if let data = session.details, let known = try? JSONDecoder().decode(SessionDetails.self, from: Data(data)) {
      self = known
    }
  }

  /// Empty.
  init() {}

  /// The exporter's store.
  var peerIncarnationBytes: [UInt8]? { peerIncarnation.flatMap { RecordID($0) }.map(\.bytes) }

  /// The bytes for the row.
  var encoded: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }

  /// What was offered, by kind.
  var totalsByType: [DataType: Int] {
    get {
      Dictionary(uniqueKeysWithValues: totals.compactMap { name, count in DataType(name: name).map { ($0, count) } })
    }
    set { totals = Dictionary(uniqueKeysWithValues: newValue.map { ($0.key.name, $0.value) }) }
  }
}
