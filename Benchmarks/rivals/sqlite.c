// SQLite: one table without rowids whose key is the folded key, so that the table is its own covering index and a query
// walks one tree. Numbers are integers, which are stored in as few bytes as they need. Statements prepared once, one
// read transaction, the file mapped and promised not to change (immutable=1), so that no lock is taken. With a cache
// limit its pages are its own, unmapped.
#include "sqlite_common.h"

static const char *const first_sql = "SELECT country, name, id, lon, lat FROM cities WHERE folded >= ?1 AND folded < "
                                     "?2 ORDER BY folded, ordinal LIMIT 20";
static const char *const count_sql = "SELECT count(*) FROM cities WHERE folded >= ?1 AND folded < ?2";

static void bind(sqlite3_stmt *statement, const uint8_t *prefix, size_t size) {
  static uint8_t bound[PACKED_LIMIT];
  sqlite3_bind_blob(statement, 1, prefix, (int)size, SQLITE_STATIC);
  sqlite3_bind_blob(statement, 2, bound, (int)above(bound, prefix, size), SQLITE_STATIC);
}

static void insert(void *context, const source_record *record) {
  sqlite3_stmt *statement = context;
  sqlite3_bind_blob(statement, 1, record->folded, (int)record->folded_size, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 2, record->ordinal);
  bind_fields(statement, 3, record);
  step_once(statement);
}

void rival_build(const char *path, const sorted_array *array) {
  create(path);
  run("CREATE TABLE cities (folded BLOB NOT NULL, ordinal INTEGER NOT NULL, country TEXT, name TEXT, id INTEGER, "
      "lon INTEGER, lat INTEGER, PRIMARY KEY (folded, ordinal)) WITHOUT ROWID; BEGIN");
  each_record(array, insert, prepare("INSERT INTO cities VALUES (?, ?, ?, ?, ?, ?, ?)"));
  run("COMMIT");
  finish(path);
}

void rival_update(const char *path, const uint8_t *folded, size_t size, uint32_t ordinal, int32_t latitude) {
  open_database(path, SQLITE_OPEN_READWRITE);
  sqlite3_stmt *statement = prepare("UPDATE cities SET lat = ?1 WHERE folded = ?2 AND ordinal = ?3");
  sqlite3_bind_int64(statement, 1, latitude);
  sqlite3_bind_blob(statement, 2, folded, (int)size, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 3, ordinal);
  step_once(statement);
  if (sqlite3_changes(database) != 1) stop(path, "has no such record");
}
