internal import Foundation

/// A sheet on a terminal: questions on standard error, answers from standard input.
public struct TerminalTransferSheet: TransferSheet {
  private let invitation: TransferInvitation?
  private let isAgreed: Bool

  /// `invitation`: how to meet, so that it is not asked. `isAgreed`: all kinds go without a question.
  public init(invitation: TransferInvitation? = nil, isAgreed: Bool = false) {
    self.invitation = invitation
    self.isAgreed = isAgreed
  }

  /// Lists the counts, then asks for the kinds and the way.
  public func chooseExport(_ request: ExportRequest) async -> ExportChoice? {
    say("\(visible(request.applicationName)) can export:")
    let offered = ExportOptions.DataTypes.each.filter { request.metadata.count(of: $0) > 0 }
    for type in offered { say("  \(type.word): \(request.metadata.count(of: type))") }
    var types = ExportOptions.DataTypes(offered)
    if !isAgreed {
      guard let answer = await ask("Which of them (Return: all; words with commas; - for none)?") else { return nil }
      if !answer.isEmpty {
        let words = Set(answer.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        types = ExportOptions.DataTypes(offered.filter { words.contains($0.word) })
      }
      if types.isEmpty { return nil }
    }
    if request.isAsked { return ExportChoice(.asked, dataTypes: types) }
    switch await way(offersFiles: request.metadata.supportExportToFiles) {
    case .files: return ExportChoice(.files, dataTypes: types)
    case .device(let invitation): return ExportChoice(.device(invitation), dataTypes: types)
    case nil: return nil
    }
  }

  /// Asks for the way.
  public func chooseImport(_ request: ImportRequest) async -> ImportChoice? {
    say("\(visible(request.applicationName)) imports browsing data.")
    return await way(offersFiles: request.metadata.supportImportFromFiles)
  }

  /// Asks once more, with the device's name.
  public func agrees(toExport types: ExportOptions.DataTypes, to device: TransferDevice) async -> Bool {
    if isAgreed { return true }
    let words = ExportOptions.DataTypes.each.filter { types.contains($0) }.map(\.word).joined(separator: ", ")
    let answer = await ask("Send \(words) to \(visible(device.name)) (\(device.id.prefix(8)))? [y/N]")
    return answer?.lowercased().hasPrefix("y") ?? false
  }

  /// Prints it.
  public func show(_ notice: TransferNotice) {
    switch notice {
    case .listening(let addresses): say("Listening on \(addresses.joined(separator: ", ")).")
    case .code(let code): say("Code: \(code.digits)   (type it in on the other device; good for ten minutes and once)")
    case .connected(let device, let again): say("Connected\(again ? " again" : "") to \(visible(device.name)).")
    case .offered(let metadata, let device):
      let counts = ExportOptions.DataTypes.each.filter { metadata.count(of: $0) > 0 }
      say(
        "\(visible(device.name)) offers \(counts.map { "\(metadata.count(of: $0)) \($0.word)" }.joined(separator: ", "))."
      )
    case .progress(let type, let done, let total): say("\(type.word): \(done) of \(total)")
    case .interrupted(let reason): say("\(visible(reason)) Waiting for it to come back.")
    case .warning(let text): say(visible(text))
    }
  }

  private func way(offersFiles: Bool) async -> ImportChoice? {
    if let invitation { return .device(invitation) }
    let files = offersFiles ? ", f: files" : ""
    let question = "Code shown on the other device (Return: show one here\(files), -: stop)?"
    guard let answer = await ask(question), answer != "-" else { return nil }
    if answer.isEmpty { return .device(.show()) }
    if answer == "f", offersFiles { return .files }
    guard let address = await ask("Its address, HOST:PORT (Return: find it)?") else { return nil }
    return .device(.answer(code: answer, at: address.isEmpty ? [] : [address]))
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  /// nil at the end of the input.
  private func ask(_ question: String) async -> String? {
    FileHandle.standardError.write(Data((question + " ").utf8))
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: readLine()?.trimmingCharacters(in: .whitespaces)) }
    }
  }
}

extension ExportOptions.DataTypes {
  /// The word of the command line; empty for several kinds or none.
  fileprivate var word: String {
    switch self {
    case .bookmarks: "bookmarks"
    case .readingList: "reading-list"
    case .history: "history"
    case .extensions: "extensions"
    case _: ""
    }
  }
}

/// Another person's text without what could move a cursor or pose as another text.
private func visible(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    case _: result.unicodeScalars.append(scalar)
    }
  }
  return result
}
