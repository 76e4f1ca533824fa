import BrowsingData
import Glibc

/// A time of day in the person's own time zone: `2025-05-16 18:03`.
func time(_ time: Timestamp) -> String { local(time, "%Y-%m-%d %H:%M") }

/// A day; spaces where it is unknown.
func date(_ time: Timestamp?) -> String { time.map { local($0, "%Y-%m-%d") } ?? "          " }

private func local(_ time: Timestamp, _ format: String) -> String {
  var seconds = time_t(time.microseconds / 1_000_000)
  var parts = tm()
  guard localtime_r(&seconds, &parts) != nil else { return "?" }
  var text = [CChar](repeating: 0, count: 64)
  let length = strftime(&text, text.count, format, &parts)
  return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
