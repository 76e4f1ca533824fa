/// A profile's folder as it is for one reading.
struct ProfileFolder {
  /// Where it is.
  let path: String
  /// Whether the browser has it open: then its databases are copied before they are read.
  let isOpen: Bool
  /// Where copies are made; nil for TMPDIR or /tmp.
  let temporary: String?
}
