import Browsers
import BrowsingData
import Channel
import Formats
import Glibc
import Store
import Transfer

extension Failure {
  /// What an error of any room means to the person.
  init(of error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as UsageError:
      self.init(.usage, error.message, hint: error.hint ?? "wherry COMMAND --help lists the options.")
    case let error as FormatError: self.init(error, of: "The file")
    case let error as ProfileError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as ChannelError: self.init(TransferError(error))
    case let error as TransferError: self.init(error)
    default:
      self.init(
        .failed, "Something unexpected happened: \(visible(String(describing: type(of: error)))).",
        hint: "wherry doctor may know why.")
    }
  }

  /// Of a file, named as the person knows it.
  init(_ error: FormatError, of name: String) {
    let words = visible(error.description), name = visible(name)
    switch error {
    case .notFound: self.init(.notFound, "\(name): there is no such file.", hint: "Look at the path.")
    case LoginCSVSource.withoutColumns: self.init(.badInput, "\(name): \(words).", hint: Failure.withoutHeader)
    case .notThisFormat: self.init(.badInput, "\(name): \(words).", hint: Failure.readable)
    case .damaged, .truncated:
      self.init(.badInput, "\(name) is damaged: \(words).", hint: "Export it again from where it came.")
    case .tooLarge: self.init(.badInput, "\(name): \(words).", hint: "Split it, or take only a part by --types.")
    case .system(let code, let doing): self = .system("\(name): \(visible(doing))", code)
    }
  }

  private static let readable =
    "Files that can be read: a Safari export (ZIP or its members), bookmark HTML or JSON, password CSVs."

  private static let withoutHeader =
    "A table of 1Password that has no header is read as csv-1password:FILE. "
    + "Any other needs a first line that names its columns."

  private init(_ error: ProfileError) {
    let words = sentence(visible(error.description))
    switch error {
    case .notFound: self.init(.notFound, words, hint: "wherry sources lists the profiles of this machine.")
    case .inUse: self.init(.inUse, words, hint: "Close the browser, or try again.")
    case .unsupportedSchema: self.init(.incompatible, words, hint: "A newer Wherry may know it.")
    case .secretsLocked(.primaryPassword):
      self.init(
        .wrongCode, words,
        hint: "Give the primary password by --password-file FILE, or leave passwords and cards out by --types.")
    case .secretsLocked(.keyring):
      self.init(
        .wrongCode, words, hint: "Unlock the desktop's keyring, or leave passwords and cards out by --types.")
    case .wrongPassword: self.init(.wrongCode, words, hint: "Nothing was taken. Try again.")
    case .corrupt:
      self.init(
        .badInput, words, hint: "Start the browser once and close it: it may mend the file. Or take a copy of before.")
    case .unreadable, .unwritable:
      self.init(.failed, words, hint: "Look whether the files of the profile are yours to read and write.")
    case .full: self.init(.noSpace, words, hint: "Make room and try again.")
    case .neverStarted:
      self.init(.notFound, words, hint: "Start the browser once on this profile, close it, and try again.")
    }
  }

  private init(_ error: StoreError) {
    switch error {
    case .busy:
      self.init(.inUse, "Another program writes to the store.", hint: "Wait for it, or end it; then try again.")
    case .full: self.init(.noSpace, "The disk is full; nothing was half written.", hint: "Make room and try again.")
    case .corrupt: self.init(.failed, "The store is damaged.", hint: "wherry doctor says more.")
    case .newerSchema:
      self.init(.incompatible, "A newer Wherry has written this store; it was left as it is.", hint: "Update Wherry.")
    case .readOnly(let path):
      self.init(.failed, "The home cannot be written: \(visible(path)).", hint: "Choose another by --home DIR.")
    case .notPrivate(let path):
      self.init(
        .failed, "Others can read \(visible(path)).", hint: "chmod go= on it, if nobody else should have seen it.")
    case .file(let path, let words):
      self.init(.failed, "\(visible(path)): \(visible(words)).", hint: "Choose another home by --home DIR.")
    case .safetyStop(let type, let affected, let existing):
      self.init(
        .declined,
        "\(grouped(affected)) of \(grouped(existing)) \(type.name) would change: more than an import should.",
        hint: "Look with --dry-run, then add --force.")
    case .unsealable:
      self.init(
        .failed, "Secrets of the store do not open with this home's key.", hint: "Restore config/ of the home, too.")
    case .wrongCursor, .malformed:
      self.init(
        .failed, "What the other side sent does not fit together.", hint: "Update Wherry on both machines; try again.")
    case .noSuchRecord: self.init(.notFound, "There is no such record.", hint: "wherry list TYPE shows what there is.")
    case .noSuchPeer: self.init(.notFound, "There is no such device.", hint: "wherry devices lists them.")
    case .clonedIdentity:
      self.init(
        .failed, "Two machines are copies of one and bear the same identity.",
        hint: "Pair one of them anew: wherry devices forget, then wherry pair.")
    case .noSuchEntry: self.init(.notFound, "There is nothing to take back.", hint: "wherry status lists the entries.")
    case .database(let error):
      self.init(
        .failed, "The store refused: \(visible(String(describing: error))).", hint: "wherry doctor says more.")
    }
  }

  private init(_ error: TransferError) {
    let exit: ExitCode =
      switch error.code {
      case .failed: .failed
      case .declined: .declined
      case .notFound: .notFound
      case .inUse: .inUse
      case .wrongCode: .wrongCode
      case .untrusted: .untrusted
      case .incompatible: .incompatible
      case .interrupted: .interrupted
      case .noSpace: .noSpace
      case .stopped: .stopped
      }
    self.init(exit, visible(error.message), hint: error.hint.isEmpty ? nil : error.hint)
  }
}

/// Words with a capital at the start and a full stop at the end.
func sentence(_ words: String, end: String = ".") -> String {
  // A file keeps its name.
  let isFile = words.prefix { $0 != " " }.dropLast().contains(".")
  let whole = isFile ? words : words.prefix(1).uppercased() + words.dropFirst()
  return whole.hasSuffix(".") ? whole : whole + end
}
