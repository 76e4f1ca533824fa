import BrowsingData
import Channel
import Foundation
import Store
import TestSupport
import Testing
import Wire

@testable import Transfer

/// Both parts of a session in one thread, joined by two pipes of which one may be cut after a number of bytes. No sockets, no
/// TLS, no code: what is left is the protocol, the codec and the stores.
final class InMemorySession {
  enum Direction: CaseIterable {
    case toImporter
    case toExporter
  }

  /// What the two ends keep across connections.
  let exporterHome: Home
  let importerFolder: String
  let importerHome: Home
  let totals: [DataType: Int]
  let types: DataTypes
  private var granted: DataTypes?
  private var isEnding = false
  private let token = TransferToken.random()
  /// Rows of batches that arrived, over all connections.
  private(set) var rowsSent = 0
  /// Bytes sent in each direction on the last connection.
  private(set) var bytes: [Direction: Int] = [:]
  private let waker: Waker

  init(exporterHome: Home, importerHome: Home, importerFolder: String, totals: [DataType: Int]) throws {
    self.exporterHome = exporterHome
    self.importerHome = importerHome
    self.importerFolder = importerFolder
    self.totals = totals
    types = DataTypes(totals.keys)
    waker = try Waker()
  }

  /// One connection, cut after so many bytes in one direction; true when the session is done at both ends.
  func connect(cut: (Direction, Int)? = nil) throws -> Bool {
    let (exporter, exportWorker) = try makeExporter()
    let (importer, importWorker) = try makeImporter()
    defer {
      exportWorker.finish()
      importWorker.finish()
    }
    bytes = [:]
    var toImporter = MessageDecoder(isAuthenticated: true)
    var toExporter = MessageDecoder(isAuthenticated: true)
    exporter.start()
    importer.start()
    var isCut = false
    while true {
      exporter.collect()
      importer.collect()
      let down = exporter.takeFrames().flatMap { $0 }
      let up = importer.takeFrames().flatMap { $0 }
      if down.isEmpty, up.isEmpty { break }
      for (direction, frames) in [(Direction.toImporter, down), (.toExporter, up)] where !isCut {
        let before = bytes[direction] ?? 0
        var sent = frames.count
        if let cut, cut.0 == direction, before + sent >= cut.1 {
          sent = cut.1 - before
          isCut = true
        }
        bytes[direction] = before + sent
        switch direction {
        case .toImporter:
          toImporter.feed(frames[..<sent])
          while let message = try toImporter.next() {
            if case .batch(let batch) = message { rowsSent += batch.changes.count }
            importer.receive(message)
            importer.collect()
          }
        case .toExporter:
          toExporter.feed(frames[..<sent])
          while let message = try toExporter.next() {
            exporter.receive(message)
            exporter.collect()
          }
        }
      }
      if isCut { break }
      if exporter.closing != nil, importer.closing != nil { break }
    }
    if isCut {
      exporter.lose()
      importer.lose()
    }
    return exporter.closing == .done && importer.closing == .done
  }

  private func makeExporter() throws -> (ExportPart, ExportWorker) {
    let home = exporterHome
    let answers = Mailbox<ExportWorker.Answer>(waker: waker)
    let open: @Sendable () throws -> RecordStore = { try RecordStore.open(home: home) }
    let capture = Capture(
      sources: [], label: "", isOwnStore: false, queue: ImmediateQueue(), openStore: open,
      explain: { TransferError(cause: $0) }, ended: {}
    )
    let items = totals.keys.sorted().map { Offer.Item(type: $0, count: Int64(totals[$0] ?? 0), bytes: 0) }
    let worker = ExportWorker(
      offer: Offer(incarnation: try open().incarnation, supported: .all, items: items), capture: capture,
      person: Agreeable(), answers: answers, loading: ImmediateQueue(), asking: ImmediateQueue(), openReader: open,
      remember: { [unowned self] in granted = $0 }, rememberCapture: { _ in })
    let device = TransferDevice(id: "importer", name: "importer")
    return (ExportPart(granted: granted, worker: worker, answers: answers, device: device, bytesMoved: { 0 }), worker)
  }

  private func makeImporter() throws -> (ImportPart, ImportWorker) {
    let (home, folder) = (importerHome, importerFolder)
    let answers = Mailbox<ImportWorker.Answer>(waker: waker)
    let worker = ImportWorker(
      token: token, label: "exporter", peerIncarnation: incarnation, person: Agreeable(), answers: answers,
      applying: ImmediateQueue(), preparing: ImmediateQueue(), asking: ImmediateQueue(),
      openStore: { try RecordStore.open(transferFolder: folder, home: home) }, freeSpace: { nil },
      remember: { [unowned self] in
        importerGranted = $0
        incarnation = $2
      },
      rememberChoice: { [unowned self] chosen, _, _ in importerChosen = chosen })
    let mark = DoneMark(folder + "/done")
    isEnding = isEnding || mark.isSet
    let before: ImporterStateMachine.Before =
      isEnding
      ? .done : importerGranted.map { .granted($0) } ?? importerChosen.map { .chosen($0) } ?? .nothing
    let device = TransferDevice(id: "exporter", name: "exporter")
    let part = ImportPart(
      before: before, worker: worker, answers: answers, device: device, bytesMoved: { 0 }, markDone: { _ in mark.set() }
    )
    return (part, worker)
  }

  private var importerGranted: DataTypes?
  private var importerChosen: DataTypes?
  private var incarnation: [UInt8]?

  /// The visits that have arrived.
  func arrived() throws -> [HistoryVisit] {
    var visits: [HistoryVisit] = []
    try RecordStore.open(transferFolder: importerFolder, home: importerHome).list(.history) {
      if case .historyVisit(let visit) = $0 { visits.append(visit) }
    }
    return visits.sorted { ($0.visitedAt, $0.url, $0.occurrence) < ($1.visitedAt, $1.url, $1.occurrence) }
  }
}

/// That the importer has finished, as its main store would know it.
struct DoneMark: Sendable {
  private let path: String
  init(_ path: String) { self.path = path }
  var isSet: Bool { access(path, F_OK) == 0 }
  func set() { _ = FileManager.default.createFile(atPath: path, contents: nil) }
}
