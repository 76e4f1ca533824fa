import BrowsingData
import Glibc
import Store
import Synchronization
import Transfer

/// Says what a sync does. A service says little: one line a day while all is well, and each trouble once.
final class SyncSpeaker: SyncObserver {
  private let output: Output
  private let isService: Bool
  private let day = Mutex(ServiceDay())

  init(_ output: Output, isWatching: Bool) {
    self.output = output
    // The variable is set by systemd for what it starts.
    isService = isWatching && !output.isVerbose && environment("JOURNAL_STREAM") != nil && isatty(STDERR_FILENO) == 0
  }

  /// From now on a service says once a day how it is, until it is stopped.
  func begin(stop: StopSignal) {
    guard isService else { return }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Daily(speaker: self, stop: stop))
    let result = pthread_create(
      &thread, nil,
      { box in
        if let box { Unmanaged<Daily>.fromOpaque(box).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    if result == 0 { pthread_detach(thread) } else { box.release() }
  }

  private final class Daily: Sendable {
    let speaker: SyncSpeaker
    let stop: StopSignal

    init(speaker: SyncSpeaker, stop: StopSignal) {
      self.speaker = speaker
      self.stop = stop
    }

    func run() { while !stop.wait(milliseconds: 86_400_000) { speaker.sayDay() } }
  }

  /// The line of the day.
  private func sayDay() { output.note(day.withLock { $0.end() }) }

  func hear(_ event: SyncEvent) {
    switch event {
    case .listening(let addresses): heardListening(addresses)
    case .connected(let peer):
      output.event("connected") { json in
        json.device(device(peer))
        json.field("resumed", true)
      }
      if !isService { output.note("Connected to \(visible(peer.name)).") }
    case .taken(let peer, let type, let rows):
      day.withLock { $0.take(rows) }
      if !isService { output.detail("\(counted(rows, "row")) of \(type.name) from \(visible(peer.name)).") }
    case .inStep(let peer): heardInStep(peer)
    case .parted(let peer, let report): heardParted(peer, report)
    case .interrupted(let peer, let reason, let retryIn):
      output.event("interrupted") { json in
        json.device(device(peer))
        json.field("reason", reason)
        json.field("retry_in_ms", retryIn)
      }
      // A machine that is away is no trouble of a service.
      if !isService { output.note("\(visible(peer.name)): \(visible(reason))") }
    case .stopped(let peer, let error):
      trouble("\(visible(peer.name)): \(visible(error.message)) \(visible(error.hint))")
    case .warning(let text): trouble(visible(text))
    }
  }

  private func device(_ peer: Peer) -> TransferDevice {
    TransferDevice(id: peer.shownID, name: peer.name, software: "")
  }

  private func heardListening(_ addresses: [String]) {
    output.event("listening") { json in
      json.key("addresses")
      json.array { json in for address in addresses { json.value(address) } }
    }
    if !isService { output.note("Listening on \(list(addresses)).") }
  }

  private func heardInStep(_ peer: Peer) {
    let isFirst = day.withLock { $0.meet(peer.name) }
    output.event("in_step") { $0.device(device(peer)) }
    if !isService || isFirst { output.note("In step with \(visible(peer.name)).") }
  }

  private func heardParted(_ peer: Peer, _ report: ApplyReport) {
    let came = changes(report.types)
    if isService || came.isEmpty { return }
    output.note("From \(visible(peer.name)): \(list(came)).")
  }

  private func trouble(_ text: String) {
    let isNew = day.withLock { $0.isNew(trouble: text) }
    if !isService || isNew { output.warning(text) }
  }
}
