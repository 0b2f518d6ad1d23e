#include <stdbool.h>
#include <stddef.h>

// `yes` or `no`, without a branch: for conditions that nobody can foresee, as those of a binary search. Of Swift's own `?:`
// the compiler makes a branch there, and every second one is foreseen wrong.
static inline ptrdiff_t choose(bool condition, ptrdiff_t yes, ptrdiff_t no) {
  return __builtin_unpredictable(condition) ? yes : no;
}
