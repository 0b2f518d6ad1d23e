// The part that the two rivals on SQLite's library share. A file that includes it has first_sql, count_sql and bind.
#ifndef SQLITE_COMMON_H
#define SQLITE_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "rival.h"

static const char *const first_sql;
static const char *const count_sql;
static void bind(sqlite3_stmt *statement, const uint8_t *prefix, size_t size);

static sqlite3 *database;
static sqlite3_stmt *first_statement, *count_statement;

static void run(const char *sql) {
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) stop(sql, sqlite3_errmsg(database));
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    stop(sql, sqlite3_errmsg(database));
  return statement;
}

static void step_once(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) stop("sqlite3_step", sqlite3_errmsg(database));
  sqlite3_reset(statement);
}

static void open_database(const char *path, int flags) {
  if (sqlite3_open_v2(path, &database, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
    stop(path, sqlite3_errmsg(database));
}

// A file need not survive a failure before it is complete; then it is synced once.
static void create(const char *path) {
  remove(path);
  open_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  run("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536");
}

// Has it on the medium, as every build ends.
static void finish(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fsync(file) != 0) stop(path, strerror(errno));
  close(file);
}

static void bind_fields(sqlite3_stmt *statement, int column, const source_record *record) {
  sqlite3_bind_text(statement, column, (const char *)record->country, (int)record->country_size, SQLITE_STATIC);
  sqlite3_bind_text(statement, column + 1, (const char *)record->name, (int)record->name_size, SQLITE_STATIC);
  sqlite3_bind_int64(statement, column + 2, record->id);
  sqlite3_bind_int64(statement, column + 3, record->lon);
  sqlite3_bind_int64(statement, column + 4, record->lat);
}

void rival_open(const char *path, size_t cache_bytes) {
  char text[PACKED_LIMIT];
  // Read as a URI, which the paths of this benchmark have no special characters of.
  if (strpbrk(path, "?#%") != NULL) stop(path, "cannot be written as a URI");
  snprintf(text, sizeof text, "file:%s?immutable=1", path);
  open_database(text, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (cache_bytes > 0) {
    snprintf(text, sizeof text, "PRAGMA mmap_size = 0; PRAGMA cache_size = -%zu", cache_bytes >> 10);
    run(text);
  } else {
    run("PRAGMA mmap_size = 1099511627776");
  }
  run("BEGIN");
  first_statement = prepare(first_sql);
}

void rival_first(const uint8_t *prefix, size_t size, answer *answer) {
  bind(first_statement, prefix, size);
  answer->count = answer->size = 0;
  int result;
  while ((result = sqlite3_step(first_statement)) == SQLITE_ROW) {
    const void *country = sqlite3_column_text(first_statement, 0), *name = sqlite3_column_text(first_statement, 1);
    answer_record *record = add_texts(answer, country, (size_t)sqlite3_column_bytes(first_statement, 0), name,
                                      (size_t)sqlite3_column_bytes(first_statement, 1));
    record->id = sqlite3_column_int64(first_statement, 2);
    record->lon = (double)sqlite3_column_int64(first_statement, 3) / 1e6;
    record->lat = (double)sqlite3_column_int64(first_statement, 4) / 1e6;
  }
  if (result != SQLITE_DONE) stop("sqlite3_step", sqlite3_errmsg(database));
  sqlite3_reset(first_statement);
}

uint64_t rival_count(const uint8_t *prefix, size_t size) {
  if (count_statement == NULL) count_statement = prepare(count_sql);
  bind(count_statement, prefix, size);
  if (sqlite3_step(count_statement) != SQLITE_ROW) stop("sqlite3_step", sqlite3_errmsg(database));
  uint64_t count = (uint64_t)sqlite3_column_int64(count_statement, 0);
  sqlite3_reset(count_statement);
  return count;
}

#endif
