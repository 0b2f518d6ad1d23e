// The sorted array as a program:
//
//     array_query FILE PREFIX                  prints the first 20 records, tab-separated
//     array_query FILE --resident PREFIXES     answers every line, prints resident and peak KiB
//     array_query FILE --serve PREFIXES 0      answers every line for each byte of its standard input, as rivals/driver.c
//
// PREFIX and PREFIXES are folded already.
#include <time.h>

#include "driver.h"
#include "sorted_array.h"

static sorted_array array;
static sorted_array_answer answer;

static void query(void *context, const uint8_t *prefix, size_t size) {
  (void)context;
  sorted_array_first(&array, prefix, size, 20, &answer);
}

typedef struct {
  uint32_t times[1 << 20], count;
} taken;

static void timed_query(void *context, const uint8_t *prefix, size_t size) {
  taken *all = context;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  query(NULL, prefix, size);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (all->count == sizeof all->times / sizeof *all->times) exit(65);
  all->times[all->count++] =
      (uint32_t)((end.tv_sec - start.tv_sec) * 1000000000 + (end.tv_nsec - start.tv_nsec));
}

static int serve(const char *prefixes) {
  static taken all;
  for (char order; read(0, &order, 1) == 1;) {
    all.count = 0;
    int status = each_line(prefixes, timed_query, &all);
    if (status != 0) return status;
    const char *next = (const char *)all.times;
    for (size_t left = all.count * sizeof *all.times; left > 0;) {
      ssize_t wrote = write(1, next, left);
      if (wrote <= 0) return 74;
      next += wrote;
      left -= (size_t)wrote;
    }
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  if (sorted_array_open(&array, arguments[1]) != 0) return 66;
  sorted_array_answer_init(&answer, 20, array.fields);
  if (count == 4 && strcmp(arguments[2], "--resident") == 0) {
    int status = each_line(arguments[3], query, NULL);
    return status != 0 ? status : print_resident();
  }
  if (count == 5 && strcmp(arguments[2], "--serve") == 0) return serve(arguments[3]);
  uint32_t found = sorted_array_first(&array, (const uint8_t *)arguments[2], strlen(arguments[2]), 20, &answer);
  char *text = malloc(answer.size + answer.texts);
  size_t size = 0;
  for (uint32_t number = 0, start = 0; number < answer.texts; start = answer.ends[number++]) {
    memcpy(text + size, answer.bytes + start, answer.ends[number] - start);
    size += answer.ends[number] - start;
    text[size++] = (number + 1) % array.fields == 0 ? '\n' : '\t';
  }
  if (write(1, text, size) != (ssize_t)size) return 74;
  return found > 0 ? 0 : 1;
}
