/// A profile that can be written. It decides nothing: whoever uses it compares what is there with what shall be, and hands
/// it the difference. Serves one-time delivery (only additions) and sync (changes and removals, too).
///
/// Opening one takes the browser's own lock, or throws when the browser runs; the lock is held until the editor goes.
/// Nothing that is applied can be seen by the browser before `commit`, which makes each changed file durable at once
/// and as a whole. A crash leaves every file as it was or as it shall be. An editor opened for a dry run works on a
/// copy: it counts the same and `commit` changes nothing.
public protocol ProfileEditor: AnyObject {
  /// What a person calls the browser.
  var browserName: String { get }
  /// The kinds that it can hold. Extensions count as held although they are only proposed.
  var types: DataTypes { get }

  // MARK: - What is there

  /// Every bookmark, folder and separator, parents before children and siblings in order. A record's `parent` is the
  /// `id` of another of them or a root; its `guid` is the foreign id.
  func heldBookmarks() throws -> [Held<Bookmark>]
  /// Every reading-list item.
  func heldReadingList() throws -> [Held<ReadingListItem>]
  /// Every login that opens. Throws when a primary password is needed.
  func heldLogins() throws -> [Held<Login>]
  /// Every card that opens. Throws when a primary password is needed.
  func heldCards() throws -> [Held<PaymentCard>]
  /// The identifiers of the extensions that are installed.
  func heldExtensions() throws -> Set<String>

  // MARK: - What it can hold

  /// A bookmark as this browser would hold it; `depth` is the number of folders above it, roots included.
  func fit(_ bookmark: Bookmark, depth: Int) -> Fitting<Bookmark>
  /// A reading-list item as this browser would hold it.
  func fit(_ item: ReadingListItem) -> Fitting<ReadingListItem>
  /// A login as this browser would hold it.
  func fit(_ login: Login) -> Fitting<Login>
  /// A card as this browser would hold it.
  func fit(_ card: PaymentCard) -> Fitting<PaymentCard>
  /// Where a person gets an extension, or one like it, for this browser.
  func page(of browserExtension: BrowserExtension) -> String

  /// The foreign id that a record gets in this profile: made from its id alone (or its own `guid`, where that is one of
  /// this browser's), so that a delivery that was cut knows its own. Another `attempt` gives another one, for an id
  /// that something else has.
  func foreignID(for id: RecordID, type: DataType, guid: String?, attempt: Int) -> String

  // MARK: - Changing

  /// Carries out edits of bookmarks. At most once before `commit`.
  func apply(_ edits: BookmarkEdits) throws -> EditResult
  /// Carries out edits of the reading list. At most once before `commit`.
  func apply(_ edits: ItemEdits<ReadingListItem>) throws -> EditResult
  /// Carries out edits of logins. At most once before `commit`.
  func apply(_ edits: ItemEdits<Login>) throws -> EditResult
  /// Carries out edits of cards. At most once before `commit`.
  func apply(_ edits: ItemEdits<PaymentCard>) throws -> EditResult

  /// Takes pages, each before the first visit that names it. One without visits is not written.
  func insert(_ pages: PageBatch) throws
  /// Takes visits. Those that are there already (page, time, occurrence) are left as they are.
  func insert(_ visits: VisitBatch) throws
  /// Ends the visits: what became of them, and a mark by which `takeBackHistory` finds those that were new.
  func finishHistory() throws -> HistoryResult
  /// Removes visits, and pages that nothing else holds. Gives how many visits went.
  func removeVisits(_ removals: [VisitRemoval]) throws -> Int
  /// Removes the visits that an earlier editor of this profile inserted and marked so.
  func takeBackHistory(mark: String) throws -> Int

  // MARK: - The end

  /// Makes everything durable and visible; gives the files that changed and where their former contents are kept.
  func commit() throws -> [ChangedFile]
  /// Leaves the profile as it was.
  func abandon()
  /// Puts back what an earlier editor changed, all files or none: false, and nothing done, when one of them is not
  /// as that editor left it (the browser has run since).
  func restore(_ files: [ChangedFile]) throws -> Bool
}
