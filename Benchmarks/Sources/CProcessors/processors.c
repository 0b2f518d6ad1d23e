#define _GNU_SOURCE
#include <sched.h>

#include "processors.h"

static cpu_set_t all;
static bool is_one = false;

bool processors_keep_one(void) {
  int number = sched_getcpu();
  if (number < 0 || number >= CPU_SETSIZE || sched_getaffinity(0, sizeof all, &all) != 0) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  is_one = sched_setaffinity(0, sizeof one, &one) == 0;
  return is_one;
}

void processors_keep_all(void) {
  if (is_one) sched_setaffinity(0, sizeof all, &all);
  is_one = false;
}
