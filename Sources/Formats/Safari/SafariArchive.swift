package import BrowsingData

/// A Safari export as a source: a ZIP whose members are told by what they hold, at any depth and in any language.
/// A member that is damaged or hostile costs only itself and is named in a remark.
package struct SafariArchive: RecordSource {
  /// What is read, in the order of the archive.
  package let parts: [FileSource.Part]
  private let sources: [any RecordSource]
  private let remarks: [Remark]

  /// Opens an archive and looks into its members. Throws when the archive itself is damaged or hostile, and
  /// `notThisFormat` when nothing in it is of a known kind or named as if it were.
  package init(_ input: FileInput) throws(FormatError) {
    let archive = try ZIPArchive(input)
    var parts: [FileSource.Part] = []
    var sources: [any RecordSource] = []
    var remarks: [Remark] = []
    var names: Set<[UInt8]> = []
    for (index, member) in archive.members.enumerated() where !member.isFolder {
      if let problem = member.problemOfName {
        remarks.append(SafariArchive.refusal(member, "refused, \(problem)"))
        continue
      }
      if member.isNote { continue }
      if let problem = names.insert(member.rawName).inserted ? member.problem : "its name was there before" {
        remarks.append(SafariArchive.refusal(member, "refused, \(problem)"))
        continue
      }
      do throws(FormatError) {
        let input = archive.input(index)
        let part = try SafariArchive.part(member, input)
        guard let source = FileSource.source(part, input) else { throw .notThisFormat("a member of a Safari export") }
        parts.append(part)
        sources.append(source)
      } catch {
        if case .system = error { throw error }
        remarks.append(SafariArchive.remark(member, error))
      }
    }
    guard !parts.isEmpty || remarks.contains(where: { $0.kind == .skipped }) else {
      throw .notThisFormat("a Safari export: no member is of a known kind")
    }
    self.parts = parts
    self.sources = sources
    self.remarks = remarks
  }

  package var types: DataTypes { sources.reduce(into: []) { $0.formUnion($1.types) } }

  package func counts() throws -> RecordCounts {
    var sum = RecordCounts()
    for source in sources {
      guard let counts = try SafariArchive.unlessDamaged({ try source.counts() }) else { continue }
      for type in DataType.allCases { sum[type] += counts[type] }
    }
    return sum
  }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    var damaged: Set<Int> = []
    var bookmarks = 0
    var join = sources.count { $0.types.contains(.bookmarks) } > 1 ? BookmarkJoin() : nil
    for type in types.each {
      for (index, source) in sources.enumerated() where source.types.contains(type) && !damaged.contains(index) {
        let error = try read(DataTypes(type), of: index, &join) { batch in
          bookmarks += batch.counts[.bookmarks]
          if bookmarks > BookmarkIDs.maximum { throw BookmarkIDs.tooMany }
          try consume(batch)
        }
        guard let error else { continue }
        damaged.insert(index)
        let reason = "\(error.inMember(parts[index].name))"
        try consume(.remarks([Remark(.skipped, type: type, place: error.remarkPlace, reason: reason)]))
      }
    }
  }

  /// Reads one member and gives back what is wrong with it. What `consume` throws is thrown on.
  private func read(
    _ types: DataTypes, of index: Int, _ join: inout BookmarkJoin?, into consume: (RecordBatch) throws -> Void
  ) throws -> FormatError? {
    var failure: (any Error)?
    do {
      try sources[index].read(types) { batch in
        do {
          if let batch = SafariArchive.adapted(batch, parts[index].name, &join) { try consume(batch) }
        } catch {
          failure = error
          throw error
        }
      }
    } catch let error as FormatError {
      if let failure { throw failure }
      if case .system = error { throw error }
      return error
    }
    return nil
  }

  // MARK: Members

  private static func part(_ member: ZIPMember, _ input: any ByteInput) throws(FormatError) -> FileSource.Part {
    FileSource.Part(
      name: member.printableName, format: try FileRecognition.format(of: input),
      profile: SafariFileNames.profile(ofMember: member.name))
  }

  /// A member with a name as of browsing data that cannot be read is skipped; any other one is only mentioned.
  private static func remark(_ member: ZIPMember, _ error: FormatError) -> Remark {
    let name = member.printableName
    let type = SafariFileNames.type(ofMember: name)
    guard case .notThisFormat = error else {
      return Remark(.skipped, type: type, place: error.remarkPlace, reason: "\(error.inMember(name))")
    }
    let isExpected = type != nil || name.lowercased().hasSuffix(".json")
    return Remark(isExpected ? .skipped : .warning, type: type, reason: "\(name): \(error)")
  }

  private static func refusal(_ member: ZIPMember, _ reason: String) -> Remark {
    let name = member.printableName
    return Remark(.skipped, type: SafariFileNames.type(ofMember: name), reason: "\(name): \(reason)")
  }

  /// Puts the member's name in front of remarks, and bookmarks behind those of other members.
  private static func adapted(_ batch: RecordBatch, _ name: String, _ join: inout BookmarkJoin?) -> RecordBatch? {
    switch batch {
    case .bookmarks(let bookmarks):
      guard let joined = join?.join(bookmarks) else { return batch }
      return joined.isEmpty ? nil : .bookmarks(joined)
    case .remarks(var remarks):
      for index in remarks.indices { remarks[index].reason = "\(name): \(remarks[index].reason)" }
      return .remarks(remarks)
    case .readingList, .extensions, .logins, .cards, .pages, .visits, .history: return batch
    }
  }

  private static func unlessDamaged<T>(_ body: () throws -> T) throws -> T? {
    do { return try body() } catch let error as FormatError {
      if case .system = error { throw error }
      return nil
    }
  }
}

extension FormatError {
  /// Its line, for a remark.
  fileprivate var remarkPlace: Remark.Place {
    switch self {
    case .damaged(_, let place), .truncated(let place), .tooLarge(_, let place): place.line.map { .line($0) } ?? .none
    case .notFound, .notThisFormat, .system: .none
    }
  }
}

extension FormatError.Place {
  fileprivate var line: Int? {
    switch self {
    case .line(let number): number
    case .member(_, let place): place.line
    case .none, .byte: nil
    }
  }
}
