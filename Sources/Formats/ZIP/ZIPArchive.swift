internal import CZip
import Glibc

/// A ZIP archive that is read (the only door to libzip). Nothing is ever written to the disk from it.
final class ZIPArchive {
  /// Its members, in the directory's order; not one of them was looked into yet.
  let members: [ZIPMember]
  private let archive: OpaquePointer

  /// Opens an archive and checks its directory.
  init(_ input: FileInput) throws(FormatError) {
    let file = try input.descriptor()
    members = try ZIPDirectory(file).members
    let copy = fcntl(file.raw, F_DUPFD_CLOEXEC, 0)
    if copy < 0 { throw .system(code: errno, "opening the archive") }
    lseek(copy, 0, SEEK_SET)
    var code: Int32 = 0
    guard let archive = zip_fdopen(copy, 0, &code) else {
      close(copy)
      throw .damaged("the archive does not open (libzip error \(code))", .none)
    }
    self.archive = archive
    try checkAgreement()
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
        UnsafeRawBufferPointer(start: name, count: strlen(name)).elementsEqual(member.rawName.prefix { $0 != 0 })
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
