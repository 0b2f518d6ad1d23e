// The records of the rivals that only hold keys: packed, in the list's order, in a file that is mapped. One byte before
// each record has its size.
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rival.h"

typedef struct {
  const uint8_t *bytes;
  size_t size;
} mapped_file;

static inline mapped_file map_file(const char *directory, const char *name) {
  char path[PACKED_LIMIT];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) stop(path, strerror(errno));
  void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) stop(path, strerror(errno));
  close(file);
  // Without this call every touch of a page reads a window around the page.
  madvise(map, (size_t)status.st_size, MADV_RANDOM);
  return (mapped_file){(const uint8_t *)map, (size_t)status.st_size};
}

static inline void write_file(const char *directory, const char *name, const void *bytes, size_t size) {
  char path[PACKED_LIMIT];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) stop(path, strerror(errno));
  for (size_t done = 0; done < size;) {
    ssize_t wrote = write(file, (const uint8_t *)bytes + done, size - done);
    if (wrote <= 0) stop(path, strerror(errno));
    done += (size_t)wrote;
  }
  if (fsync(file) != 0) stop(path, strerror(errno));
  close(file);
}

/// Bytes that grow.
typedef struct {
  uint8_t *bytes;
  size_t size, capacity;
} growing;

static inline uint8_t *grow(growing *all, size_t size) {
  if (all->size + size > all->capacity) {
    all->capacity = 2 * (all->size + size);
    all->bytes = (uint8_t *)realloc(all->bytes, all->capacity);
    if (all->bytes == NULL) stop("realloc", "out of memory");
  }
  all->size += size;
  return all->bytes + all->size - size;
}

/// Appends a record; returns its offset.
static inline size_t append_record(growing *all, const source_record *record) {
  uint8_t value[PACKED_LIMIT];
  size_t size = pack(value, record), start = all->size;
  if (size > 255) stop("a record", "is too long");
  uint8_t *place = grow(all, size + 1);
  place[0] = (uint8_t)size;
  memcpy(place + 1, value, size);
  return start;
}

#endif
