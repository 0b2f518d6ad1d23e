// SQLite's library as a program:
//
//     sqlite_query FILE PREFIX                           prints the first 20 records, tab-separated
//     sqlite_query FILE --resident PREFIXES CACHE_KIB    answers every line, prints resident and peak KiB
//
// PREFIX and PREFIXES are folded already.
#include <sqlite3.h>

#include "driver.h"

static sqlite3 *database;
static sqlite3_stmt *statement;
static double checksum;

static void bind(const uint8_t *prefix, size_t size) {
  static uint8_t upper[1024];
  if (size > sizeof upper - 1) size = sizeof upper - 1;
  memcpy(upper, prefix, size);
  upper[size] = 0xff;  // No byte of UTF-8: above all that begins with the prefix.
  sqlite3_bind_blob(statement, 1, prefix, (int)size, SQLITE_STATIC);
  sqlite3_bind_blob(statement, 2, upper, (int)size + 1, SQLITE_STATIC);
}

static void query(void *context, const uint8_t *prefix, size_t size) {
  (void)context;
  bind(prefix, size);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    sqlite3_column_text(statement, 0);
    sqlite3_column_text(statement, 1);
    checksum += sqlite3_column_double(statement, 2) + sqlite3_column_double(statement, 3) + sqlite3_column_double(statement, 4);
  }
  sqlite3_reset(statement);
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  if (sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) return 66;
  int resident = count == 5 && strcmp(arguments[2], "--resident") == 0;
  if (resident) {
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA cache_size = -%d; BEGIN", atoi(arguments[4]));
    if (sqlite3_exec(database, pragma, NULL, NULL, NULL) != SQLITE_OK) return 65;
  }
  static const char sql[] =
      "SELECT country, name, id, lon, lat FROM cities WHERE folded >= ?1 AND folded < ?2 ORDER BY folded, number LIMIT 20";
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) return 65;
  if (resident) {
    int status = each_line(arguments[3], query, NULL);
    return status != 0 ? status : print_resident();
  }
  bind((const uint8_t *)arguments[2], strlen(arguments[2]));
  char text[16384];
  size_t size = 0;
  int found = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    found++;
    for (int column = 0; column < 5; column++) {
      size_t length = (size_t)sqlite3_column_bytes(statement, column);
      if (column > 1) length = strlen((const char *)sqlite3_column_text(statement, column));
      if (size + length + 1 > sizeof text) return 65;
      memcpy(text + size, sqlite3_column_text(statement, column), length);
      size += length;
      text[size++] = column == 4 ? '\n' : '\t';
    }
  }
  if (write(1, text, size) != (ssize_t)size) return 74;
  return found > 0 ? 0 : 1;
}
