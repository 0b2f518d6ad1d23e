#include <stdbool.h>
#include <stddef.h>

// Returns `yes` or `no` without a branch, for conditions that the processor cannot predict, such as those of a binary
// search. For Swift's own `?:` the compiler makes a branch there, and every second prediction is wrong.
static inline ptrdiff_t choose(bool condition, ptrdiff_t yes, ptrdiff_t no) {
  return __builtin_unpredictable(condition) ? yes : no;
}
