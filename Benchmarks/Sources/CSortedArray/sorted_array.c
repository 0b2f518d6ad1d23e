#include "sorted_array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int sorted_array_open(sorted_array *array, const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  struct stat status;
  void *map = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size >= 16)
    map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (map == MAP_FAILED) return errno != 0 ? errno : EINVAL;
  // Without this call every touch of a page reads a window around the page.
  madvise(map, (size_t)status.st_size, MADV_RANDOM);
  const uint32_t *header = map;
  array->map = map;
  array->size = (size_t)status.st_size;
  array->count = header[1];
  array->fields = header[2];
  array->offsets = header + 4;
  array->records = (const uint8_t *)(array->offsets + array->count + 1);
  return header[0] == SORTED_ARRAY_MAGIC ? 0 : EINVAL;
}

void sorted_array_close(sorted_array *array) { munmap((void *)array->map, array->size); }

// Negative when the record is below all that begin with the prefix, 0 when it begins with it, else positive.
static inline int compare(const sorted_array *array, uint32_t number, const uint8_t *prefix, size_t size) {
  const uint8_t *record = array->records + array->offsets[number];
  size_t own = record[0];
  int order = memcmp(record + 1 + array->fields, prefix, own < size ? own : size);
  return order != 0 ? order : own < size ? -1 : 0;
}

uint32_t sorted_array_lower(const sorted_array *array, const uint8_t *prefix, size_t size) {
  uint32_t low = 0, high = array->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare(array, middle, prefix, size) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

uint32_t sorted_array_upper(const sorted_array *array, uint32_t from, const uint8_t *prefix, size_t size) {
  // Most answers are short: strides that double, then bisection within the last one.
  uint32_t low = from, stride = 1;
  while (low + stride < array->count && compare(array, low + stride, prefix, size) <= 0) {
    low += stride;
    stride *= 2;
  }
  uint32_t high = low + stride < array->count ? low + stride : array->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare(array, middle, prefix, size) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

uint32_t sorted_array_count(const sorted_array *array, const uint8_t *prefix, size_t size) {
  uint32_t low = sorted_array_lower(array, prefix, size);
  return sorted_array_upper(array, low, prefix, size) - low;
}

uint32_t sorted_array_first(const sorted_array *array, const uint8_t *prefix, size_t size, uint32_t limit,
                            sorted_array_answer *answer) {
  uint32_t number = sorted_array_lower(array, prefix, size), found = 0;
  uint32_t fields = array->fields;
  answer->size = answer->texts = 0;
  while (found < limit && number < array->count && compare(array, number, prefix, size) == 0) {
    const uint8_t *record = array->records + array->offsets[number];
    const uint8_t *texts = record + 1 + fields + record[0];
    uint32_t end = answer->size;
    uint32_t all = array->offsets[number + 1] - (uint32_t)(texts - array->records);
    if (end + all > answer->capacity) {
      answer->capacity = 2 * (end + all);
      answer->bytes = realloc(answer->bytes, answer->capacity);
    }
    memcpy(answer->bytes + end, texts, all);
    for (uint32_t field = 0; field < fields; field++) {
      end += record[1 + field];
      answer->ends[answer->texts++] = end;
    }
    answer->size = end;
    number++;
    found++;
  }
  return found;
}

void sorted_array_answer_init(sorted_array_answer *answer, uint32_t records, uint32_t fields) {
  answer->capacity = 4096;
  answer->bytes = malloc(answer->capacity);
  answer->ends = malloc(sizeof(uint32_t) * (size_t)records * fields);
  answer->size = answer->texts = 0;
}
