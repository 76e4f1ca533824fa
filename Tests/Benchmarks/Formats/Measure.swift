import BrowsingData
import Formats
import Glibc

/// One measure in a process of its own, so that its peak memory is its own, too:
///   FormatsBench read FILE                 file → records
///   FormatsBench write FORMAT FILE OUT     records of FILE, held in memory → OUT
///   FormatsBench decode FILE               what JSONDecoder needs for a history file
///   FormatsBench encode FILE OUT           what JSONEncoder needs for its entries
/// Prints one line of JSON.
func runMeasure() {
  let arguments = Array(CommandLine.arguments.dropFirst())
  do {
    switch (arguments.first, arguments.count) {
    case ("read", 2): try read(arguments[1])
    case ("write", 4): try write(arguments[1], arguments[2], arguments[3])
    case ("decode", 2): try decodeHistory(arguments[1])
    case ("encode", 3): try encodeHistory(arguments[1], arguments[2])
    default:
      print("usage: FormatsBench read FILE | write FORMAT FILE OUT | decode FILE | encode FILE OUT")
      exit(64)
    }
  } catch {
    print("\(error)")
    exit(1)
  }
}

/// Everything that a command does between a file and its records, recognition included.
private func read(_ path: String) throws {
  let watch = Stopwatch()
  var records = 0
  try FileSource.open(path).read(.all) { records += $0.recordCount }
  watch.report(records)
}

/// The text of all members, then the packing where the format is an archive.
private func write(_ format: String, _ path: String, _ target: String) throws {
  var batches: [RecordBatch] = []
  try FileSource.open(path).read(.all) { batches.append($0) }
  guard let format = FileFormat(word: format) else { throw FormatError.notThisFormat("a format") }
  let file = try AtomicFile(target)
  var sink = try format.sink(file)
  let watch = Stopwatch()
  for batch in batches { try sink.write(batch) }
  let text = watch.seconds
  _ = try sink.finish()
  watch.report(batches.reduce(0) { $0 + $1.recordCount }, also: ["text": text])
}

extension RecordBatch {
  fileprivate var recordCount: Int {
    switch self {
    case .bookmarks(let records): records.count
    case .readingList(let records): records.count
    case .extensions(let records): records.count
    case .logins(let records): records.count
    case .cards(let records): records.count
    case .history(let records): records.count
    case .pages, .visits, .remarks: 0
    }
  }
}

/// CPU time and wall time since it was made: on a machine that does other things, too, the first is what counts.
struct Stopwatch {
  private let start = Stopwatch.now(CLOCK_MONOTONIC)
  private let cpuStart = Stopwatch.now(CLOCK_PROCESS_CPUTIME_ID)

  /// CPU seconds since the start.
  var seconds: Double { Stopwatch.now(CLOCK_PROCESS_CPUTIME_ID) - cpuStart }

  /// Prints what was measured.
  func report(_ records: Int, also more: [String: Double] = [:]) {
    let wall = Stopwatch.now(CLOCK_MONOTONIC) - start
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let extra = more.map { ",\"\($0.key)\":\($0.value)" }.joined()
    print("{\"records\":\(records),\"cpu\":\(seconds),\"wall\":\(wall),\"mib\":\(usage.ru_maxrss / 1024)\(extra)}")
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
