#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast that Swift does not import. */
static inline sqlite3_destructor_type wherry_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/* sqlite3_db_config is variadic, which Swift does not import. */
static inline int wherry_sqlite_configure(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}
