package import BrowsingData
internal import SQLite

/// A browser profile that is kept in step with this store.
package struct Attachment: Hashable, Sendable {
  /// Its number here; 0 before it is saved.
  package internal(set) var number: Int64 = 0
  /// The profile's folder.
  package var path: String
  /// What the person called it.
  package var words: String
  /// What is kept in step with it.
  package var types: DataTypes
  /// Since when.
  package var attachedAt: Timestamp
  /// When it was last looked through.
  package var lastScan: Timestamp?
  /// When it last got what the store has.
  package var lastDelivery: Timestamp?
  /// The row sequence up to which it has got visits.
  package var visitsDelivered: Int64 = 0
  /// The row sequence up to which visits were forgotten in it: what was forgotten before it was attached stays in it.
  package var rulesDelivered: Int64 = 0
  /// How far its history was read.
  package var historyRead: VisitPosition?
  /// When all of its history was read last.
  package var historyReadWhole: Timestamp?
  /// The row sequence of the store when it and the profile were last alike; nil when the profile has changed since.
  package var agreed: Int64?
  /// What its files were when it was last looked through, in its reader's terms.
  package var mark: [UInt8]?
  /// What its bookmarks were then.
  package var bookmarksMark: [UInt8]?
  /// Why nothing is taken from it until a person has looked; nil when all is well.
  package var hold: String?

  /// With what cannot be absent; the rest is set afterwards.
  package init(path: String, words: String, types: DataTypes, attachedAt: Timestamp) {
    self.path = path
    self.words = words
    self.types = types
    self.attachedAt = attachedAt
  }
}

/// Which record an item of an attached profile is, and how the item was when both last agreed.
package struct Bond: Hashable, Sendable {
  /// The profile's own id of the item.
  package var foreignID: String
  /// The record.
  package var id: RecordID
  /// How the item was; the form is its owner's.
  package var shadow: [UInt8]

  /// From its parts.
  package init(foreignID: String, id: RecordID, shadow: [UInt8]) {
    self.foreignID = foreignID
    self.id = id
    self.shadow = shadow
  }
}

extension RecordStore {
  /// All attached profiles, in the order in which they were attached.
  package func attachments() throws -> [Attachment] {
    try mapping {
      let read = try statement(
        """
        SELECT no, path, words, types, attached_at, last_scan, last_delivery, hold, visits, rules,
          read_row, read_page, read_time, read_earlier, read_whole, agreed,
          mark, bookmarks_mark
        FROM attachment ORDER BY no
        """)
      var found: [Attachment] = []
      while try read.step() {
        var one = Attachment(
          path: read.text(1) ?? "", words: read.text(2) ?? "",
          types: DataTypes(rawValue: UInt32(truncatingIfNeeded: read.int64(3))),
          attachedAt: Timestamp(microseconds: read.int64(4)))
        one.number = read.int64(0)
        one.lastScan = read.optionalInt64(5).map { Timestamp(microseconds: $0) }
        one.lastDelivery = read.optionalInt64(6).map { Timestamp(microseconds: $0) }
        one.hold = read.text(7)
        one.visitsDelivered = read.int64(8)
        one.rulesDelivered = read.int64(9)
        if let row = read.optionalInt64(10) {
          one.historyRead = VisitPosition(
            row: row, page: read.int64(11), time: read.int64(12), earlier: read.int64(13))
        }
        one.historyReadWhole = read.optionalInt64(14).map { Timestamp(microseconds: $0) }
        one.agreed = read.optionalInt64(15)
        one.mark = read.bytes(16)
        one.bookmarksMark = read.bytes(17)
        found.append(one)
      }
      return found
    }
  }

  /// Attaches a profile: from now on what is forgotten is forgotten in it, too. Gives it with its number.
  package func attach(_ attachment: Attachment) throws -> Attachment {
    try writing {
      var attachment = attachment
      attachment.rulesDelivered = lastSequence
      return try save(attachment)
    }
  }

  /// Writes an attached profile, new or known by its folder; gives it with its number.
  @discardableResult
  package func save(_ attachment: Attachment) throws -> Attachment {
    try writing {
      let write = try statement(
        """
        INSERT INTO attachment(path, words, types, attached_at, last_scan, last_delivery, hold, visits, rules, agreed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT(path) DO UPDATE SET words = ?2, types = ?3, last_scan = ?5, last_delivery = ?6, hold = ?7,
          visits = ?8, rules = ?9, agreed = ?10
        """)
      try write.bind(1, attachment.path)
      try write.bind(2, attachment.words)
      try write.bind(3, Int64(attachment.types.rawValue))
      try write.bind(4, attachment.attachedAt.microseconds)
      try write.bind(5, attachment.lastScan?.microseconds)
      try write.bind(6, attachment.lastDelivery?.microseconds)
      try write.bind(7, attachment.hold)
      try write.bind(8, attachment.visitsDelivered)
      try write.bind(9, attachment.rulesDelivered)
      try write.bind(10, attachment.agreed)
      try write.run()
      let read = try statement("SELECT no FROM attachment WHERE path = ?1")
      try read.bind(1, attachment.path)
      defer { read.reset() }
      var saved = attachment
      if try read.step() { saved.number = read.int64(0) }
      return saved
    }
  }

  /// Notes that an attached profile was looked through and how far its history was read.
  package func noteScan(of attachment: Attachment, at now: Timestamp) throws {
    try writing {
      let update = try statement(
        """
        UPDATE attachment SET last_scan = ?2, read_row = ?3, read_page = ?4, read_time = ?5, read_earlier = ?6,
          read_whole = ?7
        WHERE no = ?1
        """)
      try update.bind(1, attachment.number)
      try update.bind(2, now.microseconds)
      try update.bind(3, attachment.historyRead?.row)
      try update.bind(4, attachment.historyRead?.page)
      try update.bind(5, attachment.historyRead?.time)
      try update.bind(6, attachment.historyRead?.earlier)
      try update.bind(7, attachment.historyReadWhole?.microseconds)
      try update.run()
    }
  }

  /// Notes what an attached profile was when it was looked through, after everything in it was taken.
  package func noteMarks(of attachment: Attachment) throws {
    try writing {
      let update = try statement("UPDATE attachment SET mark = ?2, bookmarks_mark = ?3 WHERE no = ?1")
      try update.bind(1, attachment.number)
      try update.bind(2, attachment.mark)
      try update.bind(3, attachment.bookmarksMark)
      try update.run()
    }
  }

  /// An attached profile is no longer as the store left it: the next delivery compares all.
  package func noteChange(of attachment: Attachment) throws {
    try writing {
      let update = try statement("UPDATE attachment SET agreed = NULL WHERE no = ?1 AND agreed IS NOT NULL")
      try update.bind(1, attachment.number)
      try update.run()
    }
  }

  /// Leaves an attached profile alone until a person has looked, and remembers why; nil: all is well.
  package func hold(_ attachment: Attachment, _ reason: String?) throws {
    try writing {
      let update = try statement("UPDATE attachment SET hold = ?2 WHERE no = ?1")
      try update.bind(1, attachment.number)
      try update.bind(2, reason)
      try update.run()
    }
  }

  /// Attached profiles are read whole the next time: the store has lost what it had from them.
  func readAttachedHistoriesWhole() throws {
    try statement("UPDATE attachment SET read_row = NULL, mark = NULL").run()
  }

  /// Forgets an attached profile and its bonds; the records stay, here and there.
  package func detach(_ attachment: Attachment) throws {
    try writing {
      for sql in ["DELETE FROM bind WHERE profile = ?1", "DELETE FROM attachment WHERE no = ?1"] {
        let delete = try statement(sql)
        try delete.bind(1, attachment.number)
        try delete.run()
      }
    }
  }

  /// Whether any of an attached profile's items is known.
  package func hasBonds(of attachment: Attachment) throws -> Bool {
    try mapping {
      let read = try statement("SELECT 1 FROM bind WHERE profile = ?1 LIMIT 1")
      try read.bind(1, attachment.number)
      defer { read.reset() }
      return try read.step()
    }
  }

  /// What an attached profile's items are here.
  package func bonds(of attachment: Attachment) throws -> [Bond] {
    try mapping {
      let read = try statement("SELECT foreign_id, rid, shadow FROM bind WHERE profile = ?1")
      try read.bind(1, attachment.number)
      var bonds: [Bond] = []
      while try read.step() {
        bonds.append(
          Bond(foreignID: read.text(0) ?? "", id: try read.requiredRecordID(1), shadow: read.bytes(2) ?? []))
      }
      return bonds
    }
  }

  /// Replaces all bonds of an attached profile. Inside another write it is a part of that.
  package func replaceBonds(of attachment: Attachment, by bonds: [Bond]) throws {
    try writing {
      // What was known of the profile was known with the former ones.
      for sql in [
        "DELETE FROM bind WHERE profile = ?1",
        "UPDATE attachment SET mark = NULL, bookmarks_mark = NULL WHERE no = ?1",
      ] {
        let write = try statement(sql)
        try write.bind(1, attachment.number)
        try write.run()
      }
      let insert = try statement("INSERT OR REPLACE INTO bind VALUES (?1, ?2, ?3, ?4)")
      for bond in bonds {
        try insert.bind(1, attachment.number)
        try insert.bind(2, bond.foreignID)
        try insert.bind(3, bond.id.bytes)
        try insert.bind(4, bond.shadow)
        try insert.run()
        insert.reset()
      }
    }
  }
}
