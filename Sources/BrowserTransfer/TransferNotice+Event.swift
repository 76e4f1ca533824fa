internal import BrowsingData
internal import Channel
internal import Transfer

extension TransferNotice {
  /// What a sheet is told of an event; nil for what it need not know.
  init?(_ event: TransferEvent) {
    switch event {
    case .listening(let addresses): self = .listening(addresses)
    case .code(let code, let uri): self = .code(ShownCode(digits: code.shown, uri: uri))
    case .connected(let device, let resumed): self = .connected(TransferDevice(device), again: resumed)
    case .offer(let counts, let device):
      let metadata = ExportMetadata(
        supportForExportToFiles: false, bookmarksCount: counts[.bookmarks] ?? 0,
        readingListCount: counts[.readingList] ?? 0, historyCount: counts[.history] ?? 0,
        extensionsCount: counts[.extensions] ?? 0)
      self = .offered(metadata, by: TransferDevice(device))
    case .chosen: return nil
    case .progress(let type, let done, let total, _):
      guard let kind = ExportOptions.DataTypes(type) else { return nil }
      self = .progress(kind, done: done, total: total)
    case .interrupted(let reason, _): self = .interrupted(reason)
    case .warning(let text): self = .warning(text)
    }
  }
}

extension TransferDevice {
  init(_ device: Transfer.TransferDevice) { self.init(id: device.id, name: device.name) }
}

extension ExportOptions.DataTypes {
  /// The kind; nil for those that BrowserKit does not know.
  init?(_ type: DataType) {
    switch type {
    case .bookmarks: self = .bookmarks
    case .readingList: self = .readingList
    case .extensions: self = .extensions
    case .history: self = .history
    case .passwords, .cards, .resources: return nil
    }
  }

  /// The kinds among those that BrowserKit knows.
  init(_ types: BrowsingData.DataTypes) { self = Self(types.each.compactMap { Self($0) }) }

  /// The same in the words of records.
  var types: BrowsingData.DataTypes {
    var types: BrowsingData.DataTypes = []
    if contains(.bookmarks) { types.insert(.bookmarks) }
    if contains(.readingList) { types.insert(.readingList) }
    if contains(.extensions) { types.insert(.extensions) }
    if contains(.history) { types.insert(.history) }
    return types
  }
}
