// A rival as a program:
//
//     X_query FILE PREFIX                            prints the first 20 records, tab-separated
//     X_query FILE --resident PREFIXES CACHE_BYTES   answers every line, prints resident and peak KiB
//     X_query FILE --serve PREFIXES CACHE_BYTES      does what the bytes of its standard input say, see serve
//     X_query FILE --build ARRAY                     makes FILE from a sorted array
//     X_query FILE --update FOLDED ORDINAL LATITUDE  changes one record; millionths
//
// Prefixes are folded already. CACHE_BYTES is 0 for no limit.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rival.h"

static answer found;

// In memory of its own that can be given back whole: a hole among what a contender allocates would count as resident.
static uint8_t *read_whole(const char *path, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) stop(path, strerror(errno));
  *size = (size_t)status.st_size;
  uint8_t *bytes = mmap(NULL, *size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) stop(path, strerror(errno));
  for (size_t done = 0; done < *size;) {
    ssize_t got = read(file, bytes + done, *size - done);
    if (got <= 0) stop(path, "cannot be read");
    done += (size_t)got;
  }
  close(file);
  return bytes;
}

static void write_all(const void *bytes, size_t size) {
  for (const uint8_t *next = bytes; size > 0;) {
    ssize_t wrote = write(1, next, size);
    if (wrote <= 0) exit(74);
    next += wrote;
    size -= (size_t)wrote;
  }
}

// Digits, a point and decimals without zeros at their end.
static size_t write_millionths(char *text, double degrees) {
  long value = lround(degrees * 1e6), size = labs(value);
  int end = sprintf(text, "%s%ld.%06ld", value < 0 ? "-" : "", size / 1000000, size % 1000000);
  while (text[end - 1] == '0') end--;
  return (size_t)(text[end - 1] == '.' ? end - 1 : end);
}

static size_t write_answer(char *text) {
  char *end = text;
  for (uint32_t number = 0; number < found.count; number++) {
    const answer_record *record = &found.records[number];
    end = mempcpy(end, found.bytes + record->country, record->country_size);
    *end++ = '\t';
    end = mempcpy(end, found.bytes + record->name, record->name_size);
    end += sprintf(end, "\t%lld\t", (long long)record->id);
    end += write_millionths(end, record->lon);
    *end++ = '\t';
    end += write_millionths(end, record->lat);
    *end++ = '\n';
  }
  return (size_t)(end - text);
}

static void print_resident(void) {
  size_t size = 0;
  static char text[8192];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (got < 0) exit(74);
  const char *resident = strstr(text, "VmRSS:"), *peak = strstr(text, "VmHWM:");
  if (resident == NULL || peak == NULL) exit(74);
  size = (size_t)sprintf(text, "%ld %ld\n", strtol(resident + 6, NULL, 10), strtol(peak + 6, NULL, 10));
  write_all(text, size);
}

static inline uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Per byte that comes in: 'f' answers all prefixes and writes for each how many nanoseconds that took, 32 bits; 'c'
// counts instead; 'a' writes for each prefix a line with its count and how many records follow, and the records.
static void serve(const uint8_t *lines, size_t size) {
  size_t count = 0;
  for (size_t at = 0; at < size; at++) count += lines[at] == '\n';
  uint32_t *times = malloc(count * sizeof *times);
  uint64_t sum = 0;
  for (char what; read(0, &what, 1) == 1;) {
    const uint8_t *line = lines;
    for (size_t number = 0; number < count; number++) {
      const uint8_t *end = memchr(line, '\n', (size_t)(lines + size - line));
      size_t length = (size_t)(end - line);
      uint64_t start = now();
      if (what == 'f') rival_first(line, length, &found);
      else if (what == 'c') sum += rival_count(line, length);
      times[number] = (uint32_t)(now() - start);
      if (what == 'a') {
        static char text[65536];
        rival_first(line, length, &found);
        int head = sprintf(text, "%llu %u\n", (unsigned long long)rival_count(line, length), found.count);
        write_all(text, (size_t)head + write_answer(text + head));
      }
      line = end + 1;
    }
    if (what != 'a') write_all(times, count * sizeof *times);
    else write_all("\n", 1);
  }
  if (sum == UINT64_MAX) puts("");  // The counts are wanted.
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  const char *path = arguments[1], *what = arguments[2];
  if (count == 3) {
    rival_open(path, 0);
    rival_first((const uint8_t *)what, strlen(what), &found);
    static char text[65536];
    write_all(text, write_answer(text));
    // Nothing is taken apart that the system takes back anyway.
    _exit(found.count > 0 ? 0 : 1);
  }
  if (count == 4 && strcmp(what, "--build") == 0) {
    sorted_array array;
    if (sorted_array_open(&array, arguments[3]) != 0) stop(arguments[3], "cannot be opened");
    rival_build(path, &array);
    return 0;
  }
  if (count == 6 && strcmp(what, "--update") == 0) {
    rival_update(path, (const uint8_t *)arguments[3], strlen(arguments[3]), (uint32_t)atoi(arguments[4]),
                 atoi(arguments[5]));
    return 0;
  }
  if (count != 5) return 64;
  size_t size;
  uint8_t *lines = read_whole(arguments[3], &size);
  // By hand: the C library's way brings tables of the locale to memory.
  uint64_t limit = 0;
  for (const char *digit = arguments[4]; *digit >= '0' && *digit <= '9'; digit++) {
    limit = 10 * limit + (uint64_t)(*digit - '0');
  }
  rival_open(path, limit);
  if (strcmp(what, "--serve") == 0) {
    serve(lines, size);
  } else if (strcmp(what, "--resident") == 0) {
    for (uint8_t *line = lines, *end; line < lines + size; line = end + 1) {
      end = memchr(line, '\n', (size_t)(lines + size - line));
      rival_first(line, (size_t)(end - line), &found);
    }
    munmap(lines, size + 1);
    print_resident();
  } else {
    return 64;
  }
  return 0;
}
