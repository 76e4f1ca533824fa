/// What a service that keeps machines in step has to say: the first machine that it is in step with, each trouble once a day,
/// and at the end of each day how that was. Nothing else.
struct ServiceDay {
  private var rows = 0
  private var inStep: Set<String> = []
  private var troubles: Set<String> = []
  private var hasGreeted = false

  /// So many records came.
  mutating func take(_ rows: Int) { self.rows += rows }

  /// A machine is in step; whether that is worth a line.
  mutating func meet(_ name: String) -> Bool {
    inStep.insert(name)
    defer { hasGreeted = true }
    return !hasGreeted
  }

  /// There is trouble; whether it was not said today.
  mutating func isNew(trouble: String) -> Bool { troubles.insert(trouble).inserted }

  /// The line of the day, which is over.
  mutating func end() -> String {
    defer { (rows, inStep, troubles) = (0, [], []) }
    let who =
      inStep.isEmpty ? "No paired machine was seen" : "In step with \(list(inStep.sorted().map { visible($0) }))"
    return "\(who); \(counted(rows, "record")) came in the last 24 hours."
  }
}
