// The rival that needs no database: all records in one file, sorted by folded key, uncompressed, mapped into memory
// and searched by bisection.
//
// The file: 16 bytes of header (magic, record count, field count, zero; 32 bits each), the offsets of all records
// and of their end (32 bits each, from the first record on), the records. A record: size of the folded key (8 bits),
// sizes of the fields (8 bits each), the folded key, the fields' texts. Little-endian.
#ifndef SORTED_ARRAY_H
#define SORTED_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#define SORTED_ARRAY_MAGIC 0x31415453u  // "STA1"

typedef struct {
  const uint8_t *map;
  size_t size;
  uint32_t count;
  uint32_t fields;
  const uint32_t *offsets;
  const uint8_t *records;
} sorted_array;

/// Records, materialised: texts one after the other, and per text its end.
typedef struct {
  uint8_t *bytes;
  uint32_t *ends;
  uint32_t capacity;
  uint32_t size;
  uint32_t texts;
} sorted_array_answer;

/// Maps a file. Returns 0, or an errno.
int sorted_array_open(sorted_array *array, const char *path);
void sorted_array_close(sorted_array *array);

/// The first record whose folded key is not below `prefix`.
uint32_t sorted_array_lower(const sorted_array *array, const uint8_t *prefix, size_t size);
/// The first record from `from` on whose folded key does not begin with `prefix`.
uint32_t sorted_array_upper(const sorted_array *array, uint32_t from, const uint8_t *prefix, size_t size);
/// The number of records that begin with `prefix`.
uint32_t sorted_array_count(const sorted_array *array, const uint8_t *prefix, size_t size);
/// Materialises the first `limit` records that begin with `prefix`; returns their number.
uint32_t sorted_array_first(const sorted_array *array, const uint8_t *prefix, size_t size, uint32_t limit,
                            sorted_array_answer *answer);

void sorted_array_answer_init(sorted_array_answer *answer, uint32_t records, uint32_t fields);

#endif
