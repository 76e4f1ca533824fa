package import BrowsingData
internal import CLinux
internal import Foundation
internal import Glibc

/// Where an app's files arrive: a folder beside their destination, in the same file system. How far it has come is written
/// after what came is on the disk, so that a cut at any place loses nothing. One thread uses it.
package final class ResourceStaging {
  /// Where the files will be.
  package let destination: String
  private let root: String
  private let tree: OpenFile
  private let lock: OpenFile
  private var progress = Progress()
  private var writer: Writer?
  /// Paths that came, by what a file system without case would take them for.
  private var names: [String: String] = [:]
  private var parent: (parts: [String], folder: OpenFile)?
  /// What was left out, and why.
  package private(set) var remarks: [Remark] = []

  private struct Writer {
    var file: OpenFile
    var hash: FileDigest
  }

  /// Digests that differ so often in one transfer are no accident.
  private static let damages = 3
  /// No file system here holds a larger file; and its zeros, which cost nothing on the way, must be hashed.
  private static let largestFile: Int64 = 1 << 44

  /// Opens or makes the staging folder of a transfer. `token`: names it, so that a resumed transfer finds it again.
  package init(destination: String, token: String) throws(ResourceError) {
    let path = ContainerChange.realPath((destination as NSString).standardizingPath)
    self.destination = path
    let name = (path as NSString).lastPathComponent
    let folder = (path as NSString).deletingLastPathComponent
    root = (folder.isEmpty ? "." : folder) + "/.\(name).wherry-\(token)"
    for made in [root, root + "/tree"] where mkdir(made, 0o700) != 0 && errno != EEXIST {
      throw OpenFile.failure("making a folder")
    }
    lock = try OpenFile.folder(root)
    guard lock.lock() else { throw .inUse }
    tree = try OpenFile.folder(root + "/tree")
    if let data = FileManager.default.contents(atPath: root + "/progress"),
      let known = try? JSONDecoder().decode(Progress.self, from: data)
    {
      progress = known
    }
    if progress.cursor > 0 { recallNames("", treePath) }
  }

  /// Where the files lie until they are put in place.
  package var treePath: String { root + "/tree" }
  /// The next place that is wanted.
  package var cursor: Int64 { progress.cursor }
  /// How many things have come whole, and how many of them were left out.
  package var counts: (taken: Int, skipped: Int) { (progress.taken, progress.skipped) }
  /// What END must say.
  package var ending: LogEnd {
    LogEnd(cursor: progress.cursor, count: progress.sum.count, digest: progress.sum.digest)
  }

  /// The exporter's log is another one: everything begins anew.
  package func begin(_ incarnation: [UInt8]) throws(ResourceError) {
    if progress.incarnation == incarnation { return }
    if progress.incarnation != nil { try restart() }
    progress.incarnation = incarnation
  }

  /// Begins anew.
  package func restart() throws(ResourceError) {
    writer = nil
    parent = nil
    names = [:]
    remarks = []
    progress = Progress()
    do {
      for name in try FileManager.default.contentsOfDirectory(atPath: treePath) {
        try FileManager.default.removeItem(atPath: treePath + "/" + name)
      }
    } catch {
      throw .system("emptying a folder", "\(type(of: error))")
    }
    try save(progress)
  }

  /// Puts everything in place, by the caller's way, once: after a cut the figures are those of the first time.
  package func place(
    _ put: (ResourceStaging) throws -> ContainerChange.Figures
  ) throws -> ContainerChange.Figures {
    guard progress.current == nil else { throw ResourceError.malformed }
    if let placed = progress.placed { return placed }
    writer = nil
    parent = nil
    let figures = try put(self)
    var next = progress
    next.placed = figures
    try save(next)
    progress = next
    return figures
  }

  /// Leaves nothing of it.
  package func discard() {
    writer = nil
    parent = nil
    try? FileManager.default.removeItem(atPath: root)
  }

  // MARK: - Taking pieces

  /// Takes a batch; what it throws leaves everything at the batch's beginning, but for `damaged`, which goes back to the
  /// beginning of the damaged file. Gives how many things came whole and how many were left out.
  package func apply(_ pieces: [ResourcePiece], from first: Int64) throws(ResourceError) -> (taken: Int, skipped: Int) {
    guard first == progress.cursor else { throw .malformed }
    var next = progress
    var complete = Complete()
    let before = (progress.taken, progress.skipped)
    let known = remarks.count
    do throws(ResourceError) {
      for piece in pieces {
        guard piece.length > 0, piece.length <= Int64.max - next.cursor else { throw .malformed }
        try take(piece, &next, &complete)
        next.cursor += piece.length
      }
      try sync(complete)
      try save(next)
    } catch {
      writer = nil
      parent = nil
      remarks.removeSubrange(known...)
      if error == .damaged, try !goesBack(before: next) { throw .garbled }
      throw error
    }
    progress = next
    return (next.taken - before.0, next.skipped - before.1)
  }

  private func take(
    _ piece: ResourcePiece, _ next: inout Progress, _ complete: inout Complete
  ) throws(ResourceError) {
    switch piece {
    case .entry(let entry):
      guard next.current == nil else { throw .malformed }
      try begin(entry, &next)
    case .bytes(let bytes):
      let current = try advance(Int64(bytes.count), &next)
      guard !current.isSkipped else { return }
      let writer = try openWriter(current)
      try writer.file.write(bytes, at: current.offset)
      writer.hash.update(bytes)
    case .zeros(let count):
      let current = try advance(count, &next)
      guard !current.isSkipped else { return }
      try openWriter(current).hash.updateZeros(count)
    case .digest(let digest):
      guard let current = next.current, current.offset == current.size else { throw .malformed }
      if !current.isSkipped { complete.add(try finish(current, digest)) }
      next.settle(current.entry, isSkipped: current.isSkipped)
      writer = nil
    case .abandoned(let count):
      guard let current = next.current, count == current.size - current.offset + 1 else { throw .malformed }
      writer = nil
      if !current.isSkipped, let place = try? ResourcePath(current.path) {
        names[place.folded] = nil
        if let folder = try folder(Array(place.parts.dropLast()), makes: false) {
          unlinkat(folder.descriptor, place.parts.last ?? "", 0)
        }
      }
      if current.isSkipped { remarks.removeLast(min(1, remarks.count)) }
      next.current = nil
    }
  }

  /// The file as it was before these bytes.
  private func advance(_ count: Int64, _ next: inout Progress) throws(ResourceError) -> Current {
    guard let current = next.current, count <= current.size - current.offset else { throw .malformed }
    next.current?.offset += count
    return current
  }

  private func begin(_ entry: ResourceEntry, _ next: inout Progress) throws(ResourceError) {
    writer = nil
    let refusal = try place(entry)
    if let refusal { remarks.append(Remark(.skipped, type: .resources, reason: refusal)) }
    if entry.kind == .file {
      next.current = Current(entry, base: next.cursor, isSkipped: refusal != nil)
    } else {
      next.settle(entry, isSkipped: refusal != nil)
    }
  }

  /// Makes the thing, a file still empty; why it is left out, nil when it is not.
  private func place(_ entry: ResourceEntry) throws(ResourceError) -> String? {
    if entry.size > ResourceStaging.largestFile { return "it is larger than a file can be here" }
    let path: ResourcePath
    do throws(ResourcePath.Fault) {
      path = try ResourcePath(entry.path)
      if entry.kind == .link { try path.checkTarget(entry.target ?? "") }
    } catch {
      return error.rawValue
    }
    let folded = path.folded
    if let other = names[folded], other != path.text { return "its path differs from another only in case" }
    guard let name = path.parts.last, let folder = try folder(Array(path.parts.dropLast()), makes: true) else {
      return "what should hold it is no folder"
    }
    let isMade: Bool
    switch entry.kind {
    case .folder: isMade = mkdirat(folder.descriptor, name, 0o700) == 0 || errno == EEXIST
    case .link: isMade = replacing(name, in: folder) { symlinkat(entry.target ?? "", folder.descriptor, name) == 0 }
    case .file:
      isMade = replacing(name, in: folder) {
        let made = openat(folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0, let file = try? OpenFile(made, doing: "making a file") else { return false }
        writer = Writer(file: file, hash: FileDigest())
        return true
      }
    }
    guard isMade else {
      let failure = OpenFile.failure("making a file")
      if failure == .full || failure == .denied { throw failure }
      return "it cannot be made here"
    }
    names[folded] = path.text
    return nil
  }

  /// What is there already is of a batch that was cut.
  private func replacing(_ name: String, in folder: OpenFile, _ make: () -> Bool) -> Bool {
    if make() { return true }
    guard errno == EEXIST, unlinkat(folder.descriptor, name, 0) == 0 else { return false }
    return make()
  }

  /// The folder of these names, reached without following a link; nil when something else is in the way.
  private func folder(_ parts: [String], makes: Bool) throws(ResourceError) -> OpenFile? {
    if let parent, parent.parts == parts { return parent.folder }
    var folder = tree
    for part in parts {
      let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
      var descriptor = openat(folder.descriptor, part, flags)
      if descriptor < 0, errno == ENOENT, makes {
        guard mkdirat(folder.descriptor, part, 0o700) == 0 else { throw OpenFile.failure("making a folder") }
        descriptor = openat(folder.descriptor, part, flags)
      }
      guard descriptor >= 0 else {
        let failure = OpenFile.failure("opening a folder")
        if failure == .full || failure == .denied { throw failure }
        return nil
      }
      folder = try OpenFile(descriptor, doing: "opening a folder")
    }
    parent = (parts, folder)
    return folder
  }

  /// The file that is being written; after a cut it is opened again, and what it holds is hashed again.
  private func openWriter(_ current: Current) throws(ResourceError) -> Writer {
    if let writer { return writer }
    let path: ResourcePath
    do throws(ResourcePath.Fault) { path = try ResourcePath(current.path) } catch { throw .malformed }
    guard let name = path.parts.last, let folder = try folder(Array(path.parts.dropLast()), makes: false) else {
      throw .damaged
    }
    let opened = openat(folder.descriptor, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard opened >= 0 else { throw .damaged }
    let file = try OpenFile(opened, doing: "opening a file")
    guard ftruncate(opened, off_t(current.offset)) == 0 else { throw OpenFile.failure("cutting a file") }
    // Zeros at its end were not written.
    let hash = FileDigest()
    try hash.update(file, upTo: current.offset)
    let made = Writer(file: file, hash: hash)
    writer = made
    return made
  }

  private func finish(_ current: Current, _ digest: [UInt8]) throws(ResourceError) -> OpenFile {
    let writer = try openWriter(current)
    guard writer.hash.finish() == digest else { throw .damaged }
    let descriptor = writer.file.descriptor
    // Never writable by others, always by its owner; no bits that lend rights.
    guard ftruncate(descriptor, off_t(current.size)) == 0,
      fchmod(descriptor, mode_t(current.mode) & 0o755 | 0o600) == 0
    else { throw OpenFile.failure("finishing a file") }
    let (seconds, rest) = current.time.quotientAndRemainder(dividingBy: 1_000_000)
    let time = timespec(
      tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000 : rest) * 1_000)
    _ = [time, time].withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
    return writer.file
  }

  // MARK: - What survives

  private func sync(_ complete: Complete) throws(ResourceError) {
    guard complete.areFew else { return try tree.syncFileSystem() }
    for file in complete.files + (writer.map { [$0.file] } ?? []) where fdatasync(file.descriptor) != 0 {
      throw OpenFile.failure("writing to the disk")
    }
  }

  private func save(_ progress: Progress) throws(ResourceError) {
    guard let data = try? JSONEncoder().encode(progress) else { throw .malformed }
    let temporary = root + "/progress.new"
    let file = try OpenFile(
      open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600), doing: "noting the progress")
    try file.write([UInt8](data), at: 0)
    guard fdatasync(file.descriptor) == 0, rename(temporary, root + "/progress") == 0 else {
      throw OpenFile.failure("noting the progress")
    }
  }

  /// A file arrived damaged: it is asked for again from its beginning, some times; false when those are over.
  private func goesBack(before next: Progress) throws(ResourceError) -> Bool {
    guard progress.damages < ResourceStaging.damages else { return false }
    // What cannot be opened again has no beginning of its own here.
    guard let current = next.current else { return true }
    var back = next
    back.current = nil
    back.cursor = current.base
    back.damages = progress.damages + 1
    try save(back)
    progress = back
    return true
  }

  private func recallNames(_ prefix: String, _ folder: String) {
    _ = ResourceTree.eachName(in: folder) { name in
      guard let name else { return }
      let path = prefix.isEmpty ? name : prefix + "/" + name
      names[path.lowercased()] = path
      if ResourceTree.entry(at: folder + "/" + name, path: path)?.kind == .folder {
        recallNames(path, folder + "/" + name)
      }
    }
  }
}

/// The files that a batch has completed: a few are written to the disk one by one, many all together. Many are not kept
/// open: there may be more than a process may have.
private struct Complete {
  private(set) var files: [OpenFile] = []
  private(set) var areFew = true

  mutating func add(_ file: OpenFile) {
    if areFew { files.append(file) }
    guard files.count > 8 else { return }
    areFew = false
    files = []
  }
}

/// How far a staging has come, as it survives a restart.
private struct Progress: Codable {
  var cursor: Int64 = 0
  var sum = ResourceSum()
  var taken = 0
  var skipped = 0
  var damages = 0
  var current: Current?
  var incarnation: [UInt8]?
  var placed: ContainerChange.Figures?

  mutating func settle(_ entry: ResourceEntry, isSkipped: Bool) {
    sum.add(entry)
    if isSkipped { skipped += 1 } else { taken += 1 }
    current = nil
  }
}

/// A file of which the beginning is here.
private struct Current: Codable {
  var path: String
  var size: Int64
  var mode: UInt16
  var time: Int64
  var base: Int64
  var offset: Int64 = 0
  var isSkipped: Bool

  init(_ entry: ResourceEntry, base: Int64, isSkipped: Bool) {
    path = entry.path
    size = entry.size
    mode = entry.mode
    time = entry.modifiedAt.microseconds
    self.base = base
    self.isSkipped = isSkipped
  }

  var entry: ResourceEntry {
    ResourceEntry(
      path: path, kind: .file, size: size, mode: mode, modifiedAt: Timestamp(microseconds: time))
  }
}
