// marisa-trie: a recursive trie of all folded keys, in the order of their bytes, mapped. It only holds keys and numbers
// them in an order of its own: records lie in the list's order in a file beside it, the place of each key's first one
// in another. A byte count before each record tells how much its folded key shares with the one before. So the trie
// only finds the first match: the others follow as long as they share the prefix. It cannot be changed: an update
// is a build.
#include <marisa.h>

#include <vector>

#include "payload.h"

static marisa::Trie *trie;
static marisa::Agent *agent;
static mapped_file records, places;

static const uint8_t *first_record(size_t key) {
  return records.bytes + reinterpret_cast<const uint32_t *>(places.bytes)[key];
}

void rival_open(const char *path, size_t) {
  records = map_file(path, "records");
  places = map_file(path, "places");
  mapped_file keys = map_file(path, "keys");
  trie = new marisa::Trie;
  trie->map(keys.bytes, keys.size);
  agent = new marisa::Agent;
}

static const uint8_t *find(const uint8_t *prefix, size_t size) {
  agent->set_query(reinterpret_cast<const char *>(prefix), size);
  return trie->predictive_search(*agent) ? first_record(agent->key().id()) : nullptr;
}

// A record: shared bytes, size, value. The last record is an extra one that shares nothing.
static const uint8_t *next(const uint8_t *record, size_t size) {
  record += 2 + record[1];
  return record[0] >= size ? record : nullptr;
}

void rival_first(const uint8_t *prefix, size_t size, answer *answer) {
  answer->count = answer->size = 0;
  for (const uint8_t *record = find(prefix, size); record != nullptr; record = next(record, size)) {
    unpack(answer, record + 2, record[1]);
    if (answer->count == ANSWER_LIMIT) return;
  }
}

uint64_t rival_count(const uint8_t *prefix, size_t size) {
  uint64_t count = 0;
  for (const uint8_t *record = find(prefix, size); record != nullptr; record = next(record, size)) count++;
  return count;
}

struct building {
  growing records = {};
  marisa::Keyset keys;
  std::vector<uint32_t> starts;
  const uint8_t *last = nullptr;
  uint32_t last_size = 0;
};

static void add(void *context, const source_record *record) {
  building &all = *static_cast<building *>(context);
  uint32_t shared = 0;
  while (shared < all.last_size && shared < record->folded_size && all.last[shared] == record->folded[shared]) shared++;
  all.last = record->folded;
  all.last_size = record->folded_size;
  size_t place = all.records.size;
  *grow(&all.records, 1) = static_cast<uint8_t>(shared);
  append_record(&all.records, record);
  if (place > UINT32_MAX) stop("the records", "are too large");
  if (record->ordinal > 0) return;
  all.keys.push_back(reinterpret_cast<const char *>(record->folded), record->folded_size);
  all.starts.push_back(static_cast<uint32_t>(place));
}

void rival_build(const char *path, const sorted_array *array) {
  mkdir(path, 0755);
  building all;
  each_record(array, add, &all);
  *grow(&all.records, 1) = 0;
  marisa::Trie built;
  built.build(all.keys, MARISA_LABEL_ORDER);
  std::vector<uint32_t> places(all.starts.size());
  for (size_t number = 0; number < all.starts.size(); number++) places[all.keys[number].id()] = all.starts[number];
  char name[PACKED_LIMIT];
  snprintf(name, sizeof name, "%s/keys", path);
  built.save(name);
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fsync(file) != 0) stop(name, strerror(errno));
  close(file);
  write_file(path, "records", all.records.bytes, all.records.size);
  write_file(path, "places", places.data(), 4 * places.size());
}

void rival_update(const char *path, const uint8_t *, size_t, uint32_t, int32_t) { stop(path, "cannot be changed"); }
