// LMDB: one sorted tree in a mapped file. Records put in order fill their pages; readers take no lock, keep one
// transaction and one cursor. Duplicate keys are told apart by their place, which is smaller than its own duplicates
// and keeps the list's order. It has no cache to limit, because its pages are the system's.
#include <lmdb.h>

#include "rival.h"

// The limit of the file's growth: it takes addresses, not disk.
#define MAP_SIZE ((size_t)1 << 33)

static MDB_env *environment;
static MDB_txn *transaction;
static MDB_dbi tree;
static MDB_cursor *cursor;

static void check(int error, const char *what) {
  if (error != 0) stop(what, mdb_strerror(error));
}

static void open_environment(const char *path, unsigned flags, size_t map_size) {
  check(mdb_env_create(&environment), "mdb_env_create");
  if (map_size > 0) check(mdb_env_set_mapsize(environment, map_size), "mdb_env_set_mapsize");
  check(mdb_env_open(environment, path, MDB_NOSUBDIR | MDB_NOLOCK | flags, 0644), path);
}

static void begin(unsigned flags) {
  check(mdb_txn_begin(environment, NULL, flags, &transaction), "mdb_txn_begin");
  check(mdb_dbi_open(transaction, NULL, 0, &tree), "mdb_dbi_open");
}

void rival_open(const char *path, size_t cache_bytes) {
  (void)cache_bytes;
  open_environment(path, MDB_RDONLY | MDB_NORDAHEAD | MDB_NOTLS, 0);
  begin(MDB_RDONLY);
  check(mdb_cursor_open(transaction, tree, &cursor), "mdb_cursor_open");
}

static inline int begins_with(const MDB_val *key, const uint8_t *prefix, size_t size) {
  return key->mv_size >= size && memcmp(key->mv_data, prefix, size) == 0;
}

void rival_first(const uint8_t *prefix, size_t size, answer *answer) {
  MDB_val key = {size, (void *)prefix}, value;
  answer->count = answer->size = 0;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (error == 0 && begins_with(&key, prefix, size)) {
    unpack(answer, value.mv_data, value.mv_size);
    if (answer->count == ANSWER_LIMIT) return;
    error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
}

uint64_t rival_count(const uint8_t *prefix, size_t size) {
  MDB_val key = {size, (void *)prefix}, value;
  uint64_t count = 0;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  for (; error == 0 && begins_with(&key, prefix, size); count++) error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  return count;
}

static void add(void *context, const source_record *record) {
  // A transaction holds only so many changed pages.
  uint32_t *left = context;
  if ((*left)-- == 0) {
    check(mdb_txn_commit(transaction), "mdb_txn_commit");
    begin(0);
    *left = 1000000;
  }
  uint8_t key[PACKED_LIMIT], value[PACKED_LIMIT];
  MDB_val k = {unique_key(key, record->folded, record->folded_size, record->ordinal), key};
  MDB_val v = {pack(value, record), value};
  check(mdb_put(transaction, tree, &k, &v, MDB_APPEND), "mdb_put");
}

void rival_build(const char *path, const sorted_array *array) {
  remove(path);
  open_environment(path, 0, MAP_SIZE);
  begin(0);
  uint32_t left = 1000000;
  each_record(array, add, &left);
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
  mdb_env_close(environment);
}

void rival_update(const char *path, const uint8_t *folded, size_t size, uint32_t ordinal, int32_t latitude) {
  open_environment(path, 0, MAP_SIZE);
  begin(0);
  uint8_t key[PACKED_LIMIT], value[PACKED_LIMIT];
  MDB_val k = {unique_key(key, folded, size, ordinal), key}, v;
  check(mdb_get(transaction, tree, &k, &v), "mdb_get");
  memcpy(value, v.mv_data, v.mv_size);
  memcpy(value + 8, &latitude, 4);
  v.mv_data = value;
  check(mdb_put(transaction, tree, &k, &v, 0), "mdb_put");
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
  mdb_env_close(environment);
}
