// The functions of every rival. driver.c makes a program of one rival; build.sh lists the rivals.
//
// A rival holds the records of a sorted array (../Sources/CSortedArray) in their order, with all five fields. Prefixes
// come folded. Coordinates are kept as millionths of a degree, ids as numbers: both are smaller than texts. The
// benchmark refuses a list whose texts these numbers would not give back.
#ifndef RIVAL_H
#define RIVAL_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "sorted_array.h"

enum { ANSWER_LIMIT = 20, PACKED_LIMIT = 1024 };

/// A record, materialised: texts in the answer's bytes, numbers as numbers.
typedef struct {
  uint32_t country, country_size, name, name_size;
  int64_t id;
  double lon, lat;
} answer_record;

typedef struct {
  answer_record records[ANSWER_LIMIT];
  uint8_t bytes[ANSWER_LIMIT * 512];
  uint32_t count, size;
} answer;

/// Opens for reading. `cache_bytes` limits the rival's own cache; 0 means no limit.
/// All functions that fail print why and end the program.
void rival_open(const char *path, size_t cache_bytes);
/// The first 20 matches.
void rival_first(const uint8_t *prefix, size_t size, answer *answer);
/// The number of all matches.
uint64_t rival_count(const uint8_t *prefix, size_t size);
/// Makes the files from a sorted array; on disk when it returns.
void rival_build(const char *path, const sorted_array *array);
/// Changes the latitude of one record, the `ordinal`th of a folded key; on disk when it returns.
void rival_update(const char *path, const uint8_t *folded, size_t size, uint32_t ordinal, int32_t latitude);

__attribute__((noreturn)) static inline void stop(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(70);
}

/// A record as it comes from the sorted array.
typedef struct {
  const uint8_t *folded, *country, *name;
  uint32_t folded_size, country_size, name_size;
  /// The number of earlier records with the same folded key.
  uint32_t ordinal;
  uint32_t id;
  int32_t lon, lat;  // Millionths.
} source_record;

/// Millionths of a degree, of a decimal text; stops where that text would not come back.
static inline int32_t millionths(const uint8_t *text, uint32_t size) {
  char copy[32], back[32];
  if (size == 0 || size >= sizeof copy) stop("a coordinate", "is no number of six decimals");
  memcpy(copy, text, size);
  copy[size] = 0;
  long value = lround(strtod(copy, NULL) * 1e6);
  int end =
      snprintf(back, sizeof back, "%s%ld.%06ld", value < 0 ? "-" : "", labs(value) / 1000000, labs(value) % 1000000);
  while (back[end - 1] == '0') back[--end] = 0;
  if (back[end - 1] == '.') back[--end] = 0;
  if (strcmp(copy, back) != 0) stop(copy, "is no number of six decimals");
  return (int32_t)value;
}

/// Calls `add` with every record of the array.
static inline void each_record(const sorted_array *array, void (*add)(void *context, const source_record *record),
                               void *context) {
  if (array->fields != 5) stop("the sorted array", "has other fields than a city list");
  source_record record;
  memset(&record, 0, sizeof record);
  for (uint32_t number = 0; number < array->count; number++) {
    const uint8_t *bytes = array->records + array->offsets[number];
    const uint8_t *folded = bytes + 6, *text = folded + bytes[0];
    int same = number > 0 && record.folded_size == bytes[0] && memcmp(record.folded, folded, bytes[0]) == 0;
    record.ordinal = same ? record.ordinal + 1 : 0;
    record.folded = folded;
    record.folded_size = bytes[0];
    record.country = text;
    record.country_size = bytes[1];
    record.name = text += bytes[1];
    record.name_size = bytes[2];
    text += bytes[2];
    record.id = 0;
    for (uint32_t digit = 0; digit < bytes[3]; digit++) {
      uint64_t id = record.id * 10ull + (uint64_t)(text[digit] - '0');
      if (text[digit] < '0' || text[digit] > '9' || id > UINT32_MAX || (digit == 0 && text[0] == '0'))
        stop("an id", "is no number of 32 bits");
      record.id = (uint32_t)id;
    }
    text += bytes[3];
    record.lon = millionths(text, bytes[4]);
    record.lat = millionths(text + bytes[4], bytes[5]);
    if (record.country_size > 127) stop("a country", "is too long");
    add(context, &record);
  }
}

/// The key of stores that keep every key once: the folded key, and from its second record on a zero and the record's
/// place in three bytes more. No folded key has a zero, so the order is that of the list.
static inline size_t unique_key(uint8_t *key, const uint8_t *folded, size_t size, uint32_t ordinal) {
  memcpy(key, folded, size);
  if (ordinal == 0) return size;
  key[size] = 0;
  key[size + 1] = (uint8_t)(ordinal >> 16);
  key[size + 2] = (uint8_t)(ordinal >> 8);
  key[size + 3] = (uint8_t)ordinal;
  return size + 4;
}

/// A record as one value: id, longitude, latitude in 32 bits each, size of the country, country, name to the end.
static inline size_t pack(uint8_t *value, const source_record *record) {
  memcpy(value, &record->id, 4);
  memcpy(value + 4, &record->lon, 4);
  memcpy(value + 8, &record->lat, 4);
  value[12] = (uint8_t)record->country_size;
  memcpy(value + 13, record->country, record->country_size);
  memcpy(value + 13 + record->country_size, record->name, record->name_size);
  return 13 + record->country_size + record->name_size;
}

static inline answer_record *add_texts(answer *answer, const void *country, size_t country_size, const void *name,
                                       size_t name_size) {
  answer_record *record = &answer->records[answer->count++];
  record->country = answer->size;
  record->country_size = (uint32_t)country_size;
  memcpy(answer->bytes + answer->size, country, country_size);
  answer->size += (uint32_t)country_size;
  record->name = answer->size;
  record->name_size = (uint32_t)name_size;
  memcpy(answer->bytes + answer->size, name, name_size);
  answer->size += (uint32_t)name_size;
  return record;
}

/// Materialises a value that `pack` made.
static inline void unpack(answer *answer, const uint8_t *value, size_t size) {
  size_t country = value[12] & 127;
  answer_record *record = add_texts(answer, value + 13, country, value + 13 + country, size - 13 - country);
  uint32_t id;
  int32_t lon, lat;
  memcpy(&id, value, 4);
  memcpy(&lon, value + 4, 4);
  memcpy(&lat, value + 8, 4);
  record->id = id;
  record->lon = lon / 1e6;
  record->lat = lat / 1e6;
}

/// The least text above all that begin with the prefix: no UTF-8 has the byte 0xff.
static inline size_t above(uint8_t *bound, const uint8_t *prefix, size_t size) {
  if (size >= PACKED_LIMIT) stop("a prefix", "is too long");
  memcpy(bound, prefix, size);
  bound[size] = 0xff;
  return size + 1;
}

#ifdef __cplusplus
}
#endif
#endif
