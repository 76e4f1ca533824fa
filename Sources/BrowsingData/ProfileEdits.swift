/// Something that a profile holds, with the profile's own id of it.
public struct Held<Item: Hashable & Sendable>: Hashable, Sendable {
  /// The profile's own id: a GUID, a row; only this browser can read it.
  public var foreignID: String
  /// In the terms of records.
  public var item: Item

  /// From its parts.
  public init(_ foreignID: String, _ item: Item) {
    self.foreignID = foreignID
    self.item = item
  }
}

/// What a browser would make of a record.
public enum Fitting<Item: Hashable & Sendable>: Hashable, Sendable {
  /// It can be held so: what is there is compared with this. Fields that are lost are named.
  case held(Item, losses: [FieldLoss])
  /// It cannot be held and is left out; a loss.
  case lost(FieldLoss)
  /// It cannot be held, and its owner should look at it; a skipped record.
  case refused(reason: String)
}

/// A field of one record that a browser cannot hold.
public struct FieldLoss: Hashable, Sendable {
  /// The field's name in records.md.
  public var field: String
  /// Why, in words that hold for every record that loses it.
  public var why: String

  /// From its parts.
  public init(_ field: String, _ why: String) {
    self.field = field
    self.why = why
  }
}

/// A folder of a profile: one of the four roots, or an item.
public enum HeldFolder: Hashable, Sendable {
  /// `toolbar`, `menu`, `other` or `mobile`.
  case root(RecordID)
  /// A folder by its foreign id; it may be one that the same edits insert.
  case item(String)
}

/// Edits of a bookmark tree, carried out in the order of the fields.
public struct BookmarkEdits: Hashable, Sendable {
  /// A new one. The item's own `parent` and `position` mean nothing.
  public struct Insertion: Hashable, Sendable {
    /// The foreign id that it gets, and what it shall be.
    public var held: Held<Bookmark>
    /// Where it goes; at the end until `order` says where.
    public var folder: HeldFolder

    /// From its parts.
    public init(_ held: Held<Bookmark>, into folder: HeldFolder) {
      self.held = held
      self.folder = folder
    }
  }

  /// New ones, folders before what is in them.
  public var insertions: [Insertion] = []
  /// Those that change, as they shall be: title, address, dates, tags, keyword. Fields that are equal are not written.
  public var updates: [Held<Bookmark>] = []
  /// Those that go to another folder, by foreign id; at its end until `order` says where.
  public var moves: [String: HeldFolder] = [:]
  /// Those that go, by foreign id. What is in a folder that goes must go or move, too.
  public var removals: Set<String> = []
  /// The children of folders, in order, when all is done. Folders that are not named keep their order; children that
  /// are not named stay behind those that are.
  public var order: [HeldFolder: [String]] = [:]

  /// None.
  public init() {}
  /// Whether there is nothing to do.
  public var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && moves.isEmpty && removals.isEmpty && order.isEmpty
  }
}

/// Edits of a list without order: logins, cards, reading-list items.
public struct ItemEdits<Item: Hashable & Sendable>: Hashable, Sendable {
  /// New ones with the foreign ids that they get.
  public var insertions: [Held<Item>] = []
  /// Those that change, as they shall be. Fields that are equal are not written.
  public var updates: [Held<Item>] = []
  /// Those that go, by foreign id.
  public var removals: Set<String> = []

  /// None.
  public init() {}
  /// Whether there is nothing to do.
  public var isEmpty: Bool { insertions.isEmpty && updates.isEmpty && removals.isEmpty }
}

/// What became of edits: every item that is not named here was taken.
public struct EditResult: Hashable, Sendable {
  /// Why items were left out, by foreign id. What was in a folder that was left out is named, too.
  public var refused: [String: String] = [:]
  /// Fields that were lost although the item was taken: a keyword that another page has.
  public var losses: [FieldLoss: Int] = [:]

  /// All were taken.
  public init() {}
}

/// What became of visits.
public struct HistoryResult: Hashable, Sendable {
  /// Visits that are new.
  public var added = 0
  /// Visits that were there already.
  public var unchanged = 0
  /// Visits that were left out, each counted once in `remarks`, at most `ApplyReport.maximumRemarks` of these.
  public var skipped = 0
  /// Why visits were left out.
  public var remarks: [Remark] = []
  /// Fields that were lost, and of how many visits.
  public var losses: [FieldLoss: Int] = [:]
  /// By which `takeBackHistory` finds those that are new; nil when there are none.
  public var mark: String?

  /// Nothing came.
  public init() {}
}

/// Which visits to remove: those of a scope at `from` or later and before `until`.
public struct VisitRemoval: Hashable, Sendable {
  /// Whose visits.
  public enum Scope: Hashable, Sendable {
    /// Of every page.
    case all
    /// Of every page of this host.
    case host(String)
    /// Of this page.
    case url(String)
  }
  /// Whose visits.
  public var scope: Scope
  /// The first moment that is meant.
  public var from: Timestamp
  /// The first moment that is not.
  public var until: Timestamp

  /// From its parts.
  public init(_ scope: Scope, from: Timestamp, until: Timestamp) {
    self.scope = scope
    self.from = from
    self.until = until
  }
}

/// A file of a profile that an editor changed.
public struct ChangedFile: Hashable, Sendable {
  /// How a file is: enough to see that nobody has written to it since.
  public struct State: Hashable, Sendable {
    /// Bytes.
    public var size: Int64
    /// Nanoseconds since 1970 of the last change.
    public var modified: Int64
    /// From its parts.
    public init(size: Int64, modified: Int64) {
      self.size = size
      self.modified = modified
    }
  }
  /// Its path below the profile's folder.
  public var name: String
  /// Where its former contents are kept, below the folder for backups; nil when it was not there.
  public var backup: String?
  /// How the editor left it; nil when the editor removed it.
  public var state: State?

  /// From its parts.
  public init(name: String, backup: String?, state: State?) {
    self.name = name
    self.backup = backup
    self.state = state
  }
}
