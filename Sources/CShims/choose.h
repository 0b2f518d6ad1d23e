#include <stdbool.h>
#include <stddef.h>

// Returns `yes` or `no` without a branch, for conditions that the processor cannot predict, as those of a binary search. The
// compiler makes a branch of Swift's own `?:` there, and every second prediction is wrong.
static inline ptrdiff_t choose(bool condition, ptrdiff_t yes, ptrdiff_t no) {
  return __builtin_unpredictable(condition) ? yes : no;
}
