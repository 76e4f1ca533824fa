import BrowsingData
import Glibc
import Synchronization

/// How far each type has come, in committed records: bars on a terminal, `progress` events with `--json`, at most ten
/// times a second.
final class ProgressDisplay: Sendable {
  private struct Row {
    var done = 0
    var total = 0
    var started: Int64
    /// When and where the measuring of the rate began.
    var firstDone: Int
    var ended: Int64?
  }
  private struct State {
    var rows: [DataType: Row] = [:]
    var bytes = 0
    var lastDrawn: Int64?
    var lastSaid: [DataType: Int64] = [:]
    var pending: Set<DataType> = []
  }
  private let output: Output
  private let state = Mutex(State())

  init(_ output: Output) { self.output = output }

  /// A type has come so far.
  func update(_ type: DataType, done: Int, total: Int, bytes: Int) {
    let now = microseconds()
    let draws = state.withLock { state in
      var row = state.rows[type] ?? Row(started: now, firstDone: done)
      row.done = done
      row.total = max(total, done)
      row.ended = done >= total ? row.ended ?? now : nil
      state.rows[type] = row
      state.bytes = max(state.bytes, bytes)
      let isDue = now - (state.lastSaid[type] ?? -1_000_000) >= 100_000 || row.ended != nil
      if isDue {
        state.lastSaid[type] = now
        state.pending.remove(type)
        say(type, row, bytes)
      } else {
        state.pending.insert(type)
      }
      if let last = state.lastDrawn, now - last < 100_000 { return false }
      state.lastDrawn = now
      return true
    }
    if draws { draw() }
  }

  /// Says what was held back, and leaves the bars where they are.
  func finish() {
    state.withLock { state in
      for type in state.pending.sorted() {
        if let row = state.rows[type] { say(type, row, state.bytes) }
      }
      state.pending = []
    }
    draw()
    output.settle()
  }

  private func say(_ type: DataType, _ row: Row, _ bytes: Int) {
    output.event("progress") { json in
      json.field("type", type.name)
      json.field("done", row.done)
      json.field("total", row.total)
      json.field("bytes", bytes)
    }
  }

  private func draw() {
    if !output.isStyled { return }
    let now = microseconds()
    let rows = state.withLock { $0.rows }.sorted { $0.key < $1.key }
    let width = Terminal.size.columns
    output.draw(rows.map { ProgressDisplay.line($0.key, $0.value, now, width) })
  }

  private static func line(_ type: DataType, _ row: Row, _ now: Int64, _ width: Int) -> String {
    let numbers = "\(grouped(row.done))/\(grouped(row.total))"
    let elapsed = max(1, (row.ended ?? now) - row.started)
    let rate = Double(row.done - row.firstDone) * 1_000_000 / Double(elapsed)
    var tails = [""]
    if row.ended != nil {
      tails = ["  done"]
    } else if rate >= 1 {
      let left = "  \(duration(Int(Double(row.total - row.done) / rate))) left"
      tails = ["  \(grouped(Int(rate)))/s\(left)", left]
    }
    let name = padded(type.name, to: 12)
    let room = width - 1 - columns(name) - 22 - 30
    if room >= 8 {
      return "\(name) \(bar(row.done, of: row.total, width: min(40, room))) \(aligned(numbers, to: 21))\(tails[0])"
    }
    // Too narrow for a bar: what fits, the time that is left before the rate.
    let plain = "\(name) \(numbers)"
    return tails.map { plain + $0 }.first { columns($0) < width } ?? fitted(plain, to: width - 1)
  }

  /// A bar of so many columns, in eighths.
  static func bar(_ done: Int, of total: Int, width: Int) -> String {
    let share = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
    let eighths = Int(share * Double(width * 8))
    let parts = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let full = eighths / 8
    let partial = full < width ? parts[eighths % 8] : ""
    let rest = String(repeating: " ", count: max(0, width - full - 1))
    return "▕\(String(repeating: "█", count: full))\(partial)\(rest)▏"
  }

  /// `8 s`, `2 min 5 s`, `1 h 12 min`.
  static func duration(_ seconds: Int) -> String {
    if seconds < 60 { return "\(max(0, seconds)) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }
}

/// A clock that only goes forward, in microseconds.
func microseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
