internal import SQLite

/// The tables of a store. One schema serves the main store, transfers' own stores and temporary ones.
enum StoreSchema {
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.register("tables") { database in
      for sql in [common, records, history, devices] { try database.execute(sql) }
    }
    migrator.register("sync") { database in
      try database.execute(sync)
      try RecordDigests.fill(database)
    }
    migrator.register("spool") { database in try database.execute(spool) }
    migrator.register("deliveries") { database in try database.execute(deliveries) }
    migrator.register("attachments") { database in try database.execute(attachments) }
    migrator.register("attached history") { database in try database.execute(attachedHistory) }
    migrator.register("attached history read") { database in try database.execute(attachedHistoryRead) }
    migrator.register("attached agreement") { database in try database.execute(attachedAgreement) }
    migrator.register("attached marks") { database in try database.execute(attachedMarks) }
    return migrator
  }()

  /// What must be set before the first table is made, and on every connection.
  static func configure(_ database: Database) throws(DatabaseError) {
    try database.execute("PRAGMA page_size = 16384")
    _ = try database.text("PRAGMA journal_mode = WAL")
    try database.execute(
      """
      PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 2000;
      PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF
      """)
  }

  private static let common = """
    CREATE TABLE store(               -- exactly one row
      id BLOB NOT NULL,               -- 16 random bytes for ever: what sealed fields are bound to
      incarnation BLOB NOT NULL,      -- 16 random bytes: namespace of dots and epoch of sequence numbers
      n INTEGER NOT NULL,             -- last dot counter
      seq INTEGER NOT NULL,           -- last row sequence
      lease BLOB NOT NULL);           -- must equal the lease file outside the database
    CREATE TABLE replica(no INTEGER PRIMARY KEY, inc BLOB UNIQUE NOT NULL, max_n INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE journal(
      entry INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind INTEGER NOT NULL, label TEXT NOT NULL, token BLOB,
      first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, report BLOB,
      done INTEGER NOT NULL DEFAULT 0, -- 1 once it is complete
      undone INTEGER);                 -- the entry that took it back
    CREATE UNIQUE INDEX journal_token ON journal(token) WHERE token IS NOT NULL;
    CREATE TABLE cursor(              -- how far a peer's log has come; count and sum of the rows received
      peer INTEGER, inc INTEGER, type INTEGER, seq INTEGER NOT NULL, count INTEGER NOT NULL, sum BLOB NOT NULL,
      pass INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(peer, inc, type)) WITHOUT ROWID;
    CREATE TABLE digest(type INTEGER PRIMARY KEY, count INTEGER NOT NULL, sum BLOB NOT NULL);
    """

  private static let records = """
    CREATE TABLE rec(                 -- bookmarks, folders, separators, reading list, logins, cards, extensions
      seq INTEGER PRIMARY KEY,        -- type << 48 | row sequence: a type's change log is one range
      type INTEGER NOT NULL CHECK(type = seq >> 48), rid BLOB NOT NULL, frm INTEGER,
      ctx BLOB NOT NULL, hi INTEGER NOT NULL, grave BLOB, dot_r INTEGER, dot_n INTEGER,
      body BLOB,                      -- BodyCodec; NULL of a deleted record
      entry INTEGER,                  -- the journal entry that left it so
      was INTEGER NOT NULL DEFAULT 0, -- its former place in the change log
      born INTEGER NOT NULL);         -- its first place: the order of what has no order of its own
    CREATE UNIQUE INDEX rec_id ON rec(rid);
    CREATE TABLE ver(type INTEGER, rid BLOB, dot_r INTEGER, dot_n INTEGER, seen BLOB, body BLOB,
      PRIMARY KEY(type, rid, dot_r, dot_n)) WITHOUT ROWID;
    CREATE TABLE rec_undo(entry INTEGER, type INTEGER, rid BLOB, body BLOB,
      PRIMARY KEY(entry, type, rid)) WITHOUT ROWID;
    CREATE TABLE rec_before(          -- what the rows of rec that an entry wrote were before
      entry INTEGER, no INTEGER, type INTEGER NOT NULL, rid BLOB NOT NULL,
      left_entry INTEGER, prior INTEGER, -- rec.entry after and before
      body BLOB,                      -- NULL: it was not there
      PRIMARY KEY(entry, no)) WITHOUT ROWID;
    CREATE TABLE arrival(             -- which record here a record of an open transfer's source is
      entry INTEGER, remote BLOB, type INTEGER NOT NULL, local BLOB, parent BLOB, position INTEGER NOT NULL,
      outcome INTEGER NOT NULL, inc INTEGER NOT NULL, pass INTEGER NOT NULL,
      PRIMARY KEY(entry, remote)) WITHOUT ROWID;
    CREATE TABLE waiting(             -- bookmarks that came before their parents
      entry INTEGER, parent BLOB, remote BLOB, position INTEGER NOT NULL, body BLOB NOT NULL,
      PRIMARY KEY(entry, parent, remote)) WITHOUT ROWID;
    CREATE INDEX waiting_remote ON waiting(entry, remote);
    CREATE TABLE sent(type INTEGER, rid BLOB, PRIMARY KEY(type, rid)) WITHOUT ROWID;
    CREATE TABLE bind(profile INTEGER, foreign_id TEXT, rid BLOB, shadow BLOB,
      PRIMARY KEY(profile, foreign_id)) WITHOUT ROWID;
    CREATE TABLE conflict_log(        -- values that are not shown; sealed where the field is
      no INTEGER PRIMARY KEY, at INTEGER NOT NULL, type INTEGER NOT NULL, rid BLOB NOT NULL, field INTEGER NOT NULL,
      value BLOB NOT NULL, entry INTEGER, resolved INTEGER NOT NULL DEFAULT 0, dot_r INTEGER, dot_n INTEGER);
    CREATE INDEX conflict_record ON conflict_log(rid);
    """

  private static let history = """
    CREATE TABLE url(id INTEGER PRIMARY KEY, -- the page's first row sequence
      url TEXT NOT NULL UNIQUE, title TEXT, title_t INTEGER, seq INTEGER NOT NULL, frm INTEGER, frm_no INTEGER,
      entry INTEGER);
    CREATE INDEX url_seq ON url(seq) WHERE seq <> id;
    CREATE TABLE visit(seq INTEGER PRIMARY KEY, -- the row is its place in the change log
      t INTEGER NOT NULL, url INTEGER NOT NULL, occ INTEGER NOT NULL DEFAULT 0, profile INTEGER NOT NULL DEFAULT 0,
      kind INTEGER NOT NULL DEFAULT 0, flags INTEGER NOT NULL DEFAULT 0,
      ref INTEGER, ref_dt INTEGER,    -- page of the redirect source or referrer, and t minus its time
      attrs BLOB,                     -- VisitAttributes
      frm INTEGER, entry INTEGER);    -- entry: the journal entry that left the row as it is
    CREATE UNIQUE INDEX visit_id ON visit(t, url, occ, profile);
    CREATE TABLE peer_page(inc INTEGER, first INTEGER, ids BLOB, PRIMARY KEY(inc, first)) WITHOUT ROWID;
    CREATE TABLE profile(id INTEGER PRIMARY KEY, label TEXT UNIQUE NOT NULL);
    INSERT INTO profile VALUES (0, '');
    CREATE TABLE forget(id BLOB PRIMARY KEY, scope_kind INTEGER, scope TEXT, t0 INTEGER, t1 INTEGER, seq INTEGER,
      frm INTEGER);
    """

  private static let spool = """
    CREATE TABLE spool(               -- history captured for one transfer, as it will be sent: HistorySpool
      no INTEGER PRIMARY KEY,         -- the order of capture
      log INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      start INTEGER NOT NULL,         -- the row sequence before its first row
      frame BLOB NOT NULL);
    CREATE UNIQUE INDEX spool_end ON spool(log, last);
    """

  private static let devices = """
    CREATE TABLE peer(no INTEGER PRIMARY KEY, key_hash BLOB UNIQUE NOT NULL, name TEXT NOT NULL, direction INTEGER,
      types INTEGER NOT NULL, addresses TEXT NOT NULL, paired_at INTEGER NOT NULL, last_sync INTEGER,
      version INTEGER NOT NULL DEFAULT 0, revoked INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE session(token BLOB PRIMARY KEY, role INTEGER NOT NULL, peer_key BLOB, types INTEGER NOT NULL,
      source TEXT, profile TEXT, capture BLOB, counts BLOB, sums BLOB, state INTEGER NOT NULL, started INTEGER NOT NULL,
      last_contact INTEGER NOT NULL, details BLOB);
    """

  private static let sync = """
    ALTER TABLE peer ADD COLUMN seen_inc BLOB;       -- the incarnation it last named, and its last edit
    ALTER TABLE peer ADD COLUMN seen_n INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE peer ADD COLUMN repaired INTEGER;    -- when all was last exchanged since digests differed
    ALTER TABLE peer ADD COLUMN hold TEXT;           -- what it wanted to delete: type, affected, existing, at
    CREATE TABLE retired(                            -- incarnations that a peer has given up
      peer INTEGER, inc BLOB, PRIMARY KEY(peer, inc)) WITHOUT ROWID;
    CREATE TABLE sent_log(type INTEGER PRIMARY KEY, seq INTEGER NOT NULL); -- up to where role sync has sent a log
    CREATE TABLE sync_page(                          -- a peer's page numbers; page 0: it could not be read
      peer INTEGER, number INTEGER, page INTEGER NOT NULL, PRIMARY KEY(peer, number)) WITHOUT ROWID;
    CREATE UNIQUE INDEX forget_seq ON forget(seq);
    ALTER TABLE conflict_log ADD COLUMN live INTEGER NOT NULL DEFAULT 0; -- 1: of versions that stand side by side
    ALTER TABLE journal ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;    -- 1: what it changed is no longer known
    DROP TABLE sent;
    """

  private static let deliveries = """
    CREATE TABLE delivery(            -- what is known of a journal entry that is a delivery
      entry INTEGER PRIMARY KEY, profile TEXT NOT NULL,
      mark TEXT,                      -- the editor's mark of the visits that were new
      files TEXT);                    -- the files that changed; NULL until all is done
    CREATE TABLE delivered(           -- records that were new or changed in the profile
      entry INTEGER, type INTEGER, foreign_id TEXT, rid BLOB NOT NULL, folder TEXT,
      before BLOB, after BLOB NOT NULL, -- sealed where the type is secret; before is NULL of a new one
      PRIMARY KEY(entry, type, foreign_id)) WITHOUT ROWID;
    """

  private static let attachments = """
    CREATE TABLE attachment(          -- browser profiles that are kept in step; their items: bind
      no INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT UNIQUE NOT NULL, words TEXT NOT NULL, types INTEGER NOT NULL,
      attached_at INTEGER NOT NULL, last_scan INTEGER, last_delivery INTEGER, hold TEXT);
    """

  private static let attachedHistory = """
    ALTER TABLE attachment ADD COLUMN visits INTEGER NOT NULL DEFAULT 0; -- the row sequence up to which it got visits
    ALTER TABLE attachment ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;  -- and up to which visits were forgotten in it
    UPDATE attachment SET rules = (SELECT seq FROM store);
    """

  private static let attachedHistoryRead = """
    ALTER TABLE attachment ADD COLUMN read_row INTEGER;   -- how far its history was read, in the browser's numbers
    ALTER TABLE attachment ADD COLUMN read_page INTEGER;
    ALTER TABLE attachment ADD COLUMN read_time INTEGER;
    ALTER TABLE attachment ADD COLUMN read_earlier INTEGER;
    ALTER TABLE attachment ADD COLUMN read_whole INTEGER; -- when all of it was read last
    """

  private static let attachedAgreement = """
    ALTER TABLE attachment ADD COLUMN agreed INTEGER; -- the row sequence at which it and the store were last alike
    """

  private static let attachedMarks = """
    ALTER TABLE attachment ADD COLUMN mark BLOB;           -- what its files were when it was last looked through
    ALTER TABLE attachment ADD COLUMN bookmarks_mark BLOB; -- and its bookmarks
    """
}
