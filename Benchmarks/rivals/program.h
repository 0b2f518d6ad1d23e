// The part that the programs of all rivals and of the sorted array share: prefixes, times, resident memory.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rival.h"

/// The lines of a file, each with an end.
typedef struct {
  uint8_t *bytes;
  size_t size, count;
} lines;

// The lines have memory of their own, which goes back whole: a hole in a contender's heap would count as resident.
static inline lines read_lines(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) stop(path, strerror(errno));
  lines all = {.size = (size_t)status.st_size};
  all.bytes = mmap(NULL, all.size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all.bytes == MAP_FAILED) stop(path, strerror(errno));
  for (size_t done = 0; done < all.size;) {
    ssize_t got = read(file, all.bytes + done, all.size - done);
    if (got <= 0) stop(path, "cannot be read");
    done += (size_t)got;
  }
  close(file);
  for (size_t at = 0; at < all.size; at++) all.count += all.bytes[at] == '\n';
  return all;
}

static inline void write_all(const void *bytes, size_t size) {
  for (const uint8_t *next = bytes; size > 0;) {
    ssize_t wrote = write(1, next, size);
    if (wrote <= 0) exit(74);
    next += wrote;
    size -= (size_t)wrote;
  }
}

/// Calls `answer` with every line.
__attribute__((always_inline)) static inline void each_line(const lines *all,
                                                            void (*answer)(const uint8_t *line, size_t size)) {
  for (uint8_t *line = all->bytes, *end; line < all->bytes + all->size; line = end + 1) {
    end = memchr(line, '\n', (size_t)(all->bytes + all->size - line));
    if (end == NULL) return;
    answer(line, (size_t)(end - line));
  }
}

static inline uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Calls `answer` with every line and writes the nanoseconds of each call, 32 bits.
__attribute__((always_inline)) static inline void time_lines(const lines *all, uint32_t *times,
                                                             void (*answer)(const uint8_t *line, size_t size)) {
  const uint8_t *line = all->bytes;
  for (size_t number = 0; number < all->count; number++) {
    const uint8_t *end = memchr(line, '\n', (size_t)(all->bytes + all->size - line));
    uint64_t start = now();
    answer(line, (size_t)(end - line));
    times[number] = (uint32_t)(now() - start);
    line = end + 1;
  }
  write_all(times, all->count * sizeof *times);
}

/// Returns the number behind a name in one of the kernel's files, read without a library's buffers.
static inline long kernel_number(const char *path, const char *name) {
  static char text[8192];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (got < 0) exit(74);
  close(file);
  text[got] = '\0';
  const char *found = strstr(text, name);
  if (found == NULL) exit(74);
  return strtol(found + strlen(name), NULL, 10);
}

/// Prints the resident memory and the private dirty pages, which no process can give back, in KiB.
static inline void print_resident(void) {
  long resident = kernel_number("/proc/self/status", "VmRSS:");
  char text[48];
  int size = sprintf(text, "%ld %ld\n", resident, kernel_number("/proc/self/smaps_rollup", "Private_Dirty:"));
  write_all(text, (size_t)size);
}

#endif
