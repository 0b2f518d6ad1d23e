// fst (the Rust crate): a minimal automaton of all folded keys, each with the number of its first record; one walk down
// finds both ends of an answer. It only holds keys: records lie in a file beside it, the place of every 16th record in
// another. It cannot be changed: an update is a build.
#include "payload.h"

extern int fst_begin(const char *path);
extern int fst_insert(const uint8_t *key, size_t size, uint64_t value);
extern int fst_finish(void);
extern int fst_open(const uint8_t *bytes, size_t size);
extern uint64_t fst_range(const uint8_t *prefix, size_t size, uint64_t count, uint64_t *end);

enum { STEP = 16 };

static mapped_file keys, records, places;
static uint64_t record_count;

void rival_open(const char *path, size_t cache_bytes) {
  (void)cache_bytes;
  keys = map_file(path, "keys");
  records = map_file(path, "records");
  places = map_file(path, "places");
  memcpy(&record_count, places.bytes, 8);
  if (fst_open(keys.bytes, keys.size) != 0) stop(path, "holds no automaton");
}

uint64_t rival_count(const uint8_t *prefix, size_t size) {
  uint64_t end, start = fst_range(prefix, size, record_count, &end);
  return end - start;
}

void rival_first(const uint8_t *prefix, size_t size, answer *answer) {
  answer->count = answer->size = 0;
  uint64_t end, start = fst_range(prefix, size, record_count, &end), left = end - start;
  if (left == 0) return;
  const uint8_t *record = records.bytes + ((const uint32_t *)(places.bytes + 8))[start / STEP];
  for (uint64_t skip = start % STEP; skip > 0; skip--) record += 1 + record[0];
  for (; left > 0 && answer->count < ANSWER_LIMIT; left--, record += 1 + record[0])
    unpack(answer, record + 1, record[0]);
}

typedef struct {
  growing records, places;
  uint64_t count;
} building;

static void add(void *context, const source_record *record) {
  building *all = context;
  size_t place = append_record(&all->records, record);
  if (place > UINT32_MAX) stop("the records", "are too large");
  if (all->count % STEP == 0) memcpy(grow(&all->places, 4), &(uint32_t){(uint32_t)place}, 4);
  if (record->ordinal == 0 && fst_insert(record->folded, record->folded_size, all->count) != 0)
    stop("fst", "cannot take a key");
  all->count++;
}

void rival_build(const char *path, const sorted_array *array) {
  char name[PACKED_LIMIT];
  mkdir(path, 0755);
  snprintf(name, sizeof name, "%s/keys", path);
  if (fst_begin(name) != 0) stop(name, "cannot be made");
  building all = {0};
  grow(&all.places, 8);
  each_record(array, add, &all);
  memcpy(all.places.bytes, &all.count, 8);
  if (fst_finish() != 0) stop(name, "cannot be written");
  write_file(path, "records", all.records.bytes, all.records.size);
  write_file(path, "places", all.places.bytes, all.places.size);
}

void rival_update(const char *path, const uint8_t *folded, size_t size, uint32_t ordinal, int32_t latitude) {
  (void)folded, (void)size, (void)ordinal, (void)latitude;
  stop(path, "cannot be changed");
}
