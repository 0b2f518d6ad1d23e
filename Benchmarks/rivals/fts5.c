// SQLite's full-text index: each folded key is one token, so that `"sao p" *` means a prefix as here. Rows are numbered
// in the list's order, so that answers come sorted. Tuned to be small: no positions, no sizes, the records in a table
// of their own (external content), indexes of prefixes of one to three characters.
#include "sqlite_common.h"

static const char *const first_sql =
    "SELECT c.country, c.name, c.id, c.lon, c.lat FROM keys JOIN cities c ON c.number = keys.rowid "
    "WHERE keys MATCH ?1 ORDER BY keys.rowid LIMIT 20";
static const char *const count_sql = "SELECT count(*) FROM keys WHERE keys MATCH ?1";

static void bind(sqlite3_stmt *statement, const uint8_t *prefix, size_t size) {
  static char expression[2 * PACKED_LIMIT + 4];
  char *end = expression;
  *end++ = '"';
  for (size_t at = 0; at < size && at < PACKED_LIMIT; at++) {
    if (prefix[at] == '"') *end++ = '"';
    *end++ = (char)prefix[at];
  }
  *end++ = '"';
  *end++ = '*';
  sqlite3_bind_text(statement, 1, expression, (int)(end - expression), SQLITE_STATIC);
}

typedef struct {
  sqlite3_stmt *cities, *keys;
  int64_t number;
} inserts;

static void insert(void *context, const source_record *record) {
  inserts *all = context;
  sqlite3_bind_int64(all->cities, 1, ++all->number);
  bind_fields(all->cities, 2, record);
  step_once(all->cities);
  sqlite3_bind_int64(all->keys, 1, all->number);
  sqlite3_bind_text(all->keys, 2, (const char *)record->folded, (int)record->folded_size, SQLITE_STATIC);
  step_once(all->keys);
}

void rival_build(const char *path, const sorted_array *array) {
  create(path);
  run("CREATE TABLE cities (number INTEGER PRIMARY KEY, country TEXT, name TEXT, id INTEGER, lon INTEGER, lat INTEGER);"
      "CREATE VIRTUAL TABLE keys USING fts5(key, content='', detail=none, columnsize=0, prefix='1 2 3', "
      "tokenize=\"unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*'\"); BEGIN");
  inserts all = {prepare("INSERT INTO cities VALUES (?, ?, ?, ?, ?, ?)"),
                 prepare("INSERT INTO keys(rowid, key) VALUES (?, ?)"), 0};
  each_record(array, insert, &all);
  run("INSERT INTO keys(keys) VALUES ('optimize'); COMMIT; VACUUM");
  finish(path);
}

void rival_update(const char *path, const uint8_t *folded, size_t size, uint32_t ordinal, int32_t latitude) {
  open_database(path, SQLITE_OPEN_READWRITE);
  sqlite3_stmt *find = prepare("SELECT rowid FROM keys WHERE keys MATCH ?1 ORDER BY rowid LIMIT 1 OFFSET ?2");
  bind(find, folded, size);
  sqlite3_bind_int64(find, 2, ordinal);
  if (sqlite3_step(find) != SQLITE_ROW) stop(path, "has no such record");
  sqlite3_stmt *statement = prepare("UPDATE cities SET lat = ?1 WHERE number = ?2");
  sqlite3_bind_int64(statement, 1, latitude);
  sqlite3_bind_int64(statement, 2, sqlite3_column_int64(find, 0));
  sqlite3_reset(find);
  step_once(statement);
}
