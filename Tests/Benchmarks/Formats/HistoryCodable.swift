import Foundation

/// A history file as `Codable` sees it: the yardstick.
private struct HistoryFile: Codable {
  var metadata: Metadata
  var history: [Entry]

  struct Metadata: Codable {
    var browser_name: String
    var browser_version: String
    var data_type: String
    var export_time_usec: Int64
    var schema_version: Int
  }

  struct Entry: Codable {
    var url: String
    var title: String?
    var time_usec: Int64
    var visit_count: Int?
    var visits_count: Int?
    var latest_visit_was_load_failure: Bool?
    var latest_visit_was_http_get: Bool?
    var source_url: String?
    var source_time_usec: Int64?
    var destination_url: String?
    var destination_time_usec: Int64?
  }
}

/// File → entries by `JSONDecoder`, the file mapped.
func decodeHistory(_ path: String) throws {
  let watch = Stopwatch()
  let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
  let file = try JSONDecoder().decode(HistoryFile.self, from: data)
  watch.report(file.history.count)
}

/// Entries, held in memory → file by `JSONEncoder`, compact.
func encodeHistory(_ path: String, _ target: String) throws {
  let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
  let file = try JSONDecoder().decode(HistoryFile.self, from: data)
  let watch = Stopwatch()
  try JSONEncoder().encode(file).write(to: URL(fileURLWithPath: target))
  watch.report(file.history.count)
}
