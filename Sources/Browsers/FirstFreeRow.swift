/// The number of the first new row of a table.
enum FirstFreeRow {
  /// So many numbers are left at least: more than any history needs.
  private static let highest: Int64 = 1 << 62

  /// The one after the highest that is taken; refuses a file whose numbers come to their end.
  static func after(_ taken: Int64, in file: String) throws(ProfileError) -> Int64 {
    guard taken < highest else { throw .corrupt(file: file, reason: "its rows are numbered up to \(taken)") }
    return max(0, taken) + 1
  }
}
