import Foundation
import Testing

/// Unpacks a profile that a real browser made; `scratch` is a folder that is not there yet.
func unpackProfile(_ name: String, to path: String, through scratch: String) throws {
  let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("BrowsersTests/Fixtures/\(name).tar.gz").path
  try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
  let tar = Process()
  tar.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
  tar.arguments = ["-xzf", archive, "-C", scratch]
  try tar.run()
  tar.waitUntilExit()
  let inner = try #require(FileManager.default.contentsOfDirectory(atPath: scratch).first)
  try? FileManager.default.removeItem(atPath: path)
  try FileManager.default.moveItem(atPath: scratch + "/" + inner, toPath: path)
}
