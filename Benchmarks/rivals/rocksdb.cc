// RocksDB, as a store that is filled once: sorted files written directly at zstd's level 19 with a dictionary for each,
// taken over without a copy. Read-only, one iterator, no log of its own; with a cache limit indexes count too.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "rival.h"

using namespace rocksdb;

static const uint32_t dictionary_bytes = 16 << 10;
static const size_t block_bytes = 4 << 10;

static DB *database;
static Iterator *iterator;
// The iterator looks at it when it moves.
static Slice upper_bound;
static uint8_t upper_bytes[PACKED_LIMIT];

static void check(const Status &status, const char *what) {
  if (!status.ok()) stop(what, status.ToString().c_str());
}

struct Silent : Logger {
  using Logger::Logv;
  void Logv(const char *, va_list) override {}
};

static Options options(size_t cache_bytes) {
  Options all;
  all.info_log = std::make_shared<Silent>();
  all.compression = kZSTD;
  all.compression_opts.level = 19;
  all.compression_opts.max_dict_bytes = dictionary_bytes;
  all.compression_opts.zstd_max_train_bytes = 100 * dictionary_bytes;
  all.compression_opts.parallel_threads = 2;
  all.allow_fallocate = false;
  all.manifest_preallocation_size = 4096;
  all.skip_stats_update_on_db_open = true;
  all.skip_checking_sst_file_sizes_on_db_open = true;
  all.max_file_opening_threads = 1;  // There is one file; 16 threads would be started at every opening.
  all.stats_dump_period_sec = 0;
  all.stats_persist_period_sec = 0;
  BlockBasedTableOptions table;
  table.block_size = block_bytes;
  table.format_version = 5;
  table.checksum = kXXH3;
  table.block_cache = cache_bytes > 0 ? NewLRUCache(cache_bytes, 0, true) : NewLRUCache(size_t(1) << 31);
  table.cache_index_and_filter_blocks = cache_bytes > 0;
  all.table_factory.reset(NewBlockBasedTableFactory(table));
  return all;
}

void rival_open(const char *path, size_t cache_bytes) {
  check(DB::OpenForReadOnly(options(cache_bytes), path, &database), path);
  ReadOptions read;
  read.iterate_upper_bound = &upper_bound;
  read.auto_prefix_mode = false;
  iterator = database->NewIterator(read);
}

static void seek(const uint8_t *prefix, size_t size) {
  upper_bound = Slice(reinterpret_cast<char *>(upper_bytes), above(upper_bytes, prefix, size));
  iterator->Seek(Slice(reinterpret_cast<const char *>(prefix), size));
}

void rival_first(const uint8_t *prefix, size_t size, answer *answer) {
  answer->count = answer->size = 0;
  for (seek(prefix, size); iterator->Valid(); iterator->Next()) {
    Slice value = iterator->value();
    unpack(answer, reinterpret_cast<const uint8_t *>(value.data()), value.size());
    if (answer->count == ANSWER_LIMIT) return;
  }
  check(iterator->status(), "Seek");
}

uint64_t rival_count(const uint8_t *prefix, size_t size) {
  uint64_t count = 0;
  for (seek(prefix, size); iterator->Valid(); iterator->Next()) count++;
  check(iterator->status(), "Seek");
  return count;
}

static void add(void *context, const source_record *record) {
  uint8_t key[PACKED_LIMIT], value[PACKED_LIMIT];
  size_t size = unique_key(key, record->folded, record->folded_size, record->ordinal);
  Slice slice(reinterpret_cast<char *>(key), size);
  check(static_cast<SstFileWriter *>(context)->Put(slice, Slice(reinterpret_cast<char *>(value), pack(value, record))),
        "Put");
}

void rival_build(const char *path, const sorted_array *array) {
  Options all = options(0);
  // Removes an earlier database; without one it returns an error, which does not matter.
  DestroyDB(path, all);
  std::string sorted = std::string(path) + ".sst";
  SstFileWriter writer(EnvOptions(), all);
  check(writer.Open(sorted), sorted.c_str());
  each_record(array, add, &writer);
  check(writer.Finish(), sorted.c_str());
  all.create_if_missing = true;
  check(DB::Open(all, path, &database), path);
  IngestExternalFileOptions ingest;
  ingest.move_files = true;
  check(database->IngestExternalFile({sorted}, ingest), sorted.c_str());
  check(database->Close(), path);
}

void rival_update(const char *path, const uint8_t *folded, size_t size, uint32_t ordinal, int32_t latitude) {
  uint8_t key[PACKED_LIMIT];
  check(DB::Open(options(0), path, &database), path);
  Slice slice(reinterpret_cast<char *>(key), unique_key(key, folded, size, ordinal));
  std::string value;
  check(database->Get(ReadOptions(), slice, &value), "Get");
  memcpy(&value[8], &latitude, 4);
  WriteOptions write;
  write.sync = true;
  check(database->Put(write, slice, value), "Put");
  check(database->Close(), path);
}
