// A rival as a program:
//
//     X_query FILE PREFIX                            prints the first 20 records, tab-separated
//     X_query FILE --resident PREFIXES CACHE_BYTES   answers every line, prints resident and private dirty KiB
//     X_query FILE --serve PREFIXES CACHE_BYTES      obeys the bytes of its standard input, see serve
//     X_query FILE --build ARRAY                     makes FILE from a sorted array
//     X_query FILE --update FOLDED ORDINAL LATITUDE  changes one record; millionths
//
// Prefixes are folded already. CACHE_BYTES is 0 for no limit.
#define _GNU_SOURCE
#include "program.h"

static answer found;

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

// Per byte of input: 'f' answers all prefixes and writes the nanoseconds of each answer, 32 bits; 'c' counts instead;
// 'a' writes for each prefix a line with its count and the number of the records that follow, and the records.
static uint64_t sum;

static void first(const uint8_t *prefix, size_t size) { rival_first(prefix, size, &found); }

static void add_count(const uint8_t *prefix, size_t size) { sum += rival_count(prefix, size); }

static void write_both(const uint8_t *prefix, size_t size) {
  static char text[65536];
  first(prefix, size);
  int head = sprintf(text, "%llu %u\n", (unsigned long long)rival_count(prefix, size), found.count);
  write_all(text, (size_t)head + write_answer(text + head));
}

static void serve(const lines *prefixes) {
  uint32_t *times = malloc(prefixes->count * sizeof *times);
  for (char what; read(0, &what, 1) == 1;) {
    if (what == 'f') time_lines(prefixes, times, first);
    if (what == 'c') time_lines(prefixes, times, add_count);
    if (what != 'a') continue;
    each_line(prefixes, write_both);
    write_all("\n", 1);
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
    // Nothing is freed: the system takes all memory back.
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
  lines prefixes = read_lines(arguments[3]);
  // By hand: the C library's way brings tables of the locale to memory.
  uint64_t limit = 0;
  for (const char *digit = arguments[4]; *digit >= '0' && *digit <= '9'; digit++) {
    limit = 10 * limit + (uint64_t)(*digit - '0');
  }
  rival_open(path, limit);
  if (strcmp(what, "--serve") == 0) {
    serve(&prefixes);
  } else if (strcmp(what, "--resident") == 0) {
    each_line(&prefixes, first);
    munmap(prefixes.bytes, prefixes.size + 1);
    print_resident();
  } else {
    return 64;
  }
  return 0;
}
