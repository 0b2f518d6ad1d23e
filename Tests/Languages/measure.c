// Prints the cost of calls of the C library, in microseconds, each the least of ten runs: measure INDEX TEXT
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "shardq.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

#define LEAST(name, call) \
  do { \
    double least = 1e9; \
    for (int run = 0; run < 10; run++) { \
      double from = now(); \
      for (int n = 0; n < 2000; n++) { call; } \
      double cost = (now() - from) / 2000; \
      if (cost < least) least = cost; \
    } \
    printf("%-36s %9.2f\n", name, least); \
  } while (0)

int main(int count, char **arguments) {
  if (count != 3) return 2;
  const char *text = arguments[2];
  size_t size = strlen(text);
  int status;
  sq_index *index = sq_open(arguments[1], 0, &status);
  if (status != SQ_OK) return fprintf(stderr, "%s\n", sq_message(index)), 1;
  sq_options options = {.size = sizeof options, .limit = 10, .sort = SQ_SORT_KEY};
  LEAST("sq_open and sq_close, the index shared", sq_close(sq_open(arguments[1], 0, NULL)));
  LEAST("sq_count", sq_count(index, text, size));
  LEAST("sq_query by keys", sq_query(index, text, size, &options));
  options.flags = SQ_JSON;
  LEAST("sq_query by keys, JSON", sq_query(index, text, size, &options));
  LEAST("sq_query by ranks", sq_query(index, text, size, NULL));
  sq_close(index);
}
