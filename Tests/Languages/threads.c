// Threads with handles of their own, of indexes that they share, for the thread sanitizer: threads INDEX
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "shardq.h"

enum { THREADS = 4, ROUNDS = 20 };
static const char *const texts[] = {"", "s", "san", "san f", "lodnon", "zz", "new york u", "a"};
static const char *path;

static void *ask(void *argument) {
  long number = *(long *)argument, failed = 0;
  for (int round = 0; round < ROUNDS; round++) {
    // Two cache limits, so two indexes, which open and close again and again.
    int status;
    sq_index *index = sq_open(path, (int64_t)(1 << 16) + (number + round) % 2, &status);
    failed += status != SQ_OK;
    sq_options options = {.size = sizeof options, .limit = 10, .flags = round % 2 ? SQ_JSON : 0};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
      options.sort = (int32_t)(n + (size_t)round) % 3;
      failed += sq_query(index, texts[n], strlen(texts[n]), &options) != SQ_OK || !sq_answer(index, NULL);
      failed += sq_count(index, texts[n], strlen(texts[n])) < 0 || !sq_field(index, 0);
    }
    sq_close(index);
  }
  *(long *)argument = failed;
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  path = arguments[1];
  pthread_t threads[THREADS];
  long numbers[THREADS], failed = 0;
  for (int n = 0; n < THREADS; n++) {
    numbers[n] = n;
    if (pthread_create(&threads[n], NULL, ask, &numbers[n]) != 0) return 1;
  }
  for (int n = 0; n < THREADS; n++) {
    pthread_join(threads[n], NULL);
    failed += numbers[n];
  }
  printf("%ld of %d rounds failed\n", failed, THREADS * ROUNDS);
  return failed != 0;
}
