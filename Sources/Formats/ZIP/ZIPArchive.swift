internal import CZip
import Glibc

/// A ZIP archive that is read. Nothing is ever written to the disk from it. (This file is the only door to libzip.)
final class ZIPArchive {
  /// Its members, in the directory's order; not one of them was looked into yet.
  let members: [ZIPMember]
  private let archive: OpaquePointer

  /// Opens an archive and checks its directory.
  init(_ input: FileInput) throws(FormatError) {
    let file = try input.descriptor()
    let directory = try ZIPDirectory(file)
    members = directory.members
    archive =
      directory.substitutes.isEmpty
      ? try ZIPArchive.open(file) : try ZIPArchive.open(RetouchedFile(file, directory.substitutes))
    try checkAgreement()
  }

  private static func open(_ file: FileDescriptor) throws(FormatError) -> OpaquePointer {
    let copy = fcntl(file.raw, F_DUPFD_CLOEXEC, 0)
    if copy < 0 { throw .system(code: errno, "opening the archive") }
    lseek(copy, 0, SEEK_SET)
    var code: Int32 = 0
    guard let archive = zip_fdopen(copy, 0, &code) else {
      close(copy)
      throw refused(code)
    }
    return archive
  }

  private static func open(_ file: RetouchedFile) throws(FormatError) -> OpaquePointer {
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    let context = Unmanaged.passRetained(file)
    guard let source = zip_source_function_create(RetouchedFile.callback, context.toOpaque(), &error) else {
      context.release()
      throw refused(zip_error_code_zip(&error))
    }
    guard let archive = zip_open_from_source(source, ZIP_RDONLY, &error) else {
      zip_source_free(source)
      throw refused(zip_error_code_zip(&error))
    }
    return archive
  }

  private static func refused(_ code: Int32) -> FormatError {
    .damaged("the archive does not open (libzip error \(code))", .none)
  }

  deinit { zip_discard(archive) }

  /// A member as an input. `isRefused` members must not be asked for.
  func input(_ index: Int) -> any ByteInput { MemberInput(archive: self, index: index) }

  /// What libzip sees must be what was checked here.
  private func checkAgreement() throws(FormatError) {
    let lie = FormatError.damaged("the directory of the archive can be read in two ways", .none)
    guard zip_get_num_entries(archive, 0) == Int64(members.count) else { throw lie }
    for (index, member) in members.enumerated() {
      var status = zip_stat_t()
      zip_stat_init(&status)
      guard zip_stat_index(archive, zip_uint64_t(index), zip_flags_t(ZIP_FL_ENC_RAW), &status) == 0 else { throw lie }
      guard status.size == member.size, status.comp_size == member.compressedSize, let name = status.name,
        // libzip shows NUL as a blank
        UnsafeRawBufferPointer(start: name, count: strlen(name)).elementsEqual(
          member.rawName.map { $0 == 0 ? 0x20 : $0 })
      else { throw lie }
    }
  }

  private struct MemberInput: ByteInput {
    let archive: ZIPArchive
    let index: Int
    var name: String { archive.members[index].printableName }

    func open() throws(FormatError) -> any OpenByteInput {
      guard let file = zip_fopen_index(archive.archive, zip_uint64_t(index), 0) else {
        throw .damaged("it does not open", .member(name, .none))
      }
      return OpenMember(archive, archive.members[index], file)
    }
  }

  private final class OpenMember: OpenByteInput {
    private let archive: ZIPArchive  // must outlive the member
    private let member: ZIPMember
    private let file: OpaquePointer
    private var produced: UInt64 = 0

    init(_ archive: ZIPArchive, _ member: ZIPMember, _ file: OpaquePointer) {
      self.archive = archive
      self.member = member
      self.file = file
    }

    deinit { zip_fclose(file) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
      guard let start = buffer.baseAddress, buffer.count > 0 else { return 0 }
      let count = zip_fread(file, start, zip_uint64_t(buffer.count))
      let place = FormatError.Place.member(member.printableName, .byte(Int64(clamping: produced)))
      if count < 0 { throw reason(place) }
      produced &+= UInt64(count)
      if produced > member.size { throw .damaged("it unpacks to more than the archive says", place) }
      if member.isBomb(produced: produced) { throw .tooLarge("more than 200 times its packed size", place) }
      if count == 0, produced < member.size { throw .truncated(place) }
      return Int(count)
    }

    private func reason(_ place: FormatError.Place) -> FormatError {
      guard let error = zip_file_get_error(file) else { return .damaged("it cannot be unpacked", place) }
      switch zip_error_code_zip(error) {
      case ZIP_ER_CRC: return .damaged("its checksum is wrong", place)
      case ZIP_ER_EOF: return .truncated(place)
      case ZIP_ER_READ: return .system(code: zip_error_code_system(error), "reading the archive")
      default: return .damaged("it cannot be unpacked", place)
      }
    }
  }
}

/// An archive's file with some bytes of its directory replaced by others.
private final class RetouchedFile {
  private let file: FileDescriptor
  private let substitutes: [(offset: UInt64, value: UInt16)]
  private var position: Int64 = 0
  private var error = zip_error_t()

  init(_ file: FileDescriptor, _ substitutes: [(offset: UInt64, value: UInt16)]) {
    self.file = file
    self.substitutes = substitutes
    zip_error_init(&error)
  }

  static let callback: zip_source_callback = { context, data, length, command in
    guard let context else { return -1 }
    if command == ZIP_SOURCE_FREE {
      Unmanaged<RetouchedFile>.fromOpaque(context).release()
      return 0
    }
    return Unmanaged<RetouchedFile>.fromOpaque(context).takeUnretainedValue().handle(command, data, length)
  }

  private func handle(_ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: zip_uint64_t) -> Int64 {
    switch command {
    case ZIP_SOURCE_SUPPORTS: return RetouchedFile.supported
    case ZIP_SOURCE_OPEN:
      position = 0
      return 0
    case ZIP_SOURCE_CLOSE: return 0
    case ZIP_SOURCE_STAT: return describe(data, length)
    case ZIP_SOURCE_READ:
      guard let data else { return 0 }
      return read(UnsafeMutableRawBufferPointer(start: data, count: Int(clamping: length)))
    case ZIP_SOURCE_TELL: return position
    case ZIP_SOURCE_SEEK:
      let offset = zip_source_seek_compute_offset(zip_uint64_t(position), size ?? 0, data, length, &error)
      if offset < 0 { return -1 }
      position = offset
      return 0
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&error, data, length)
    default:
      zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0)
      return -1
    }
  }

  private static let supported: Int64 = [
    ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
    ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS,
  ].reduce(0) { $0 | 1 << Int64($1.rawValue) }

  private var size: UInt64? { (try? file.status().st_size).map { UInt64(max(0, $0)) } }

  private func describe(_ data: UnsafeMutableRawPointer?, _ length: zip_uint64_t) -> Int64 {
    guard let data, length >= MemoryLayout<zip_stat_t>.size, let size else {
      zip_error_set(&error, ZIP_ER_READ, EIO)
      return -1
    }
    var status = zip_stat_t()
    zip_stat_init(&status)
    status.size = size
    status.valid |= zip_uint64_t(ZIP_STAT_SIZE)
    data.storeBytes(of: status, as: zip_stat_t.self)
    return Int64(MemoryLayout<zip_stat_t>.size)
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int64 {
    do throws(FormatError) {
      let count = try file.read(into: buffer, at: position)
      let end = UInt64(position) &+ UInt64(count)
      // The members lie before the directory: few reads meet it.
      if let first = substitutes.first, end > first.offset {
        for (offset, value) in substitutes {
          for (place, byte) in [(offset, UInt8(value & 0xFF)), (offset &+ 1, UInt8(value >> 8))]
          where place >= UInt64(position) && place < end {
            buffer[Int(place &- UInt64(position))] = byte
          }
        }
      }
      position += Int64(count)
      return Int64(count)
    } catch {
      zip_error_set(&self.error, ZIP_ER_READ, EIO)
      return -1
    }
  }
}

/// Makes a ZIP archive of finished parts.
final class ZIPWriter {
  private let archive: OpaquePointer
  private let target: Target
  private var isDone = false

  /// Into a file, which stays the caller's to finish.
  init(_ file: FileDescriptor) throws(FormatError) {
    target = Target(file)
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    let context = Unmanaged.passRetained(target)
    guard let source = zip_source_function_create(Target.callback, context.toOpaque(), &error) else {
      context.release()
      throw ZIPWriter.failure
    }
    guard let archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error) else {
      zip_source_free(source)
      throw ZIPWriter.failure
    }
    self.archive = archive
  }

  deinit { if !isDone { zip_discard(archive) } }

  /// Adds a part under a name. The part is read only by `finish`.
  func add(_ part: TemporaryFile, name: String) throws(FormatError) {
    let stream = try part.reader()
    guard let source = zip_source_filep(archive, stream, 0, -1) else {
      fclose(stream)
      throw ZIPWriter.failure
    }
    let index = zip_file_add(archive, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
    guard index >= 0 else {
      zip_source_free(source)
      throw ZIPWriter.failure
    }
    // The fastest level: text shrinks to a fifth, and a million visits do not take a minute.
    let place = zip_uint64_t(index)
    let mode = zip_uint32_t(0o100600) << 16
    guard zip_set_file_compression(archive, place, ZIP_CM_DEFLATE, 1) == 0,
      zip_file_set_external_attributes(archive, place, 0, zip_uint8_t(ZIP_OPSYS_UNIX), mode) == 0
    else { throw ZIPWriter.failure }
  }

  /// Packs all parts.
  func finish() throws(FormatError) {
    guard zip_close(archive) == 0 else { throw target.failure ?? ZIPWriter.failure }
    isDone = true
  }

  private static var failure: FormatError { .system(code: EIO, "packing the archive") }

  /// The file that libzip writes to, by its offsets.
  private final class Target {
    private let file: FileDescriptor
    private var position: Int64 = 0
    private var length: Int64 = 0
    private var error = zip_error_t()
    /// What went wrong in writing.
    private(set) var failure: FormatError?

    init(_ file: FileDescriptor) {
      self.file = file
      zip_error_init(&error)
    }

    static let callback: zip_source_callback = { context, data, length, command in
      guard let context else { return -1 }
      if command == ZIP_SOURCE_FREE {
        Unmanaged<Target>.fromOpaque(context).release()
        return 0
      }
      return Unmanaged<Target>.fromOpaque(context).takeUnretainedValue().handle(command, data, length)
    }

    private func handle(_ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: zip_uint64_t) -> Int64
    {
      switch command {
      case ZIP_SOURCE_SUPPORTS: return Target.supported
      case ZIP_SOURCE_STAT:
        zip_error_set(&error, ZIP_ER_READ, ENOENT)  // there is no archive yet
        return -1
      case ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_REMOVE: return 0
      case ZIP_SOURCE_WRITE: return write(UnsafeRawBufferPointer(start: data, count: Int(length)))
      case ZIP_SOURCE_TELL_WRITE: return position
      case ZIP_SOURCE_SEEK_WRITE:
        let offset = zip_source_seek_compute_offset(
          zip_uint64_t(position), zip_uint64_t(self.length), data, length, &error)
        if offset < 0 { return -1 }
        position = offset
        return 0
      case ZIP_SOURCE_ERROR: return zip_error_to_data(&error, data, length)
      default:
        zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0)
        return -1
      }
    }

    private static let supported: Int64 = [
      ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
      ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
      ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE,
    ].reduce(0) { $0 | 1 << Int64($1.rawValue) }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int64 {
      do throws(FormatError) {
        try file.write(bytes, at: position)
      } catch {
        failure = error
        zip_error_set(&self.error, ZIP_ER_WRITE, EIO)
        return -1
      }
      position += Int64(bytes.count)
      length = max(length, position)
      return Int64(bytes.count)
    }
  }
}
