// Reads and writes of a word that several threads use. Swift has these functions in its module Synchronization, which
// macOS before 15 and iOS before 18 lack.
#include <stdbool.h>
#include <stdint.h>

static inline uintptr_t word_load(const uintptr_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void word_store(uintptr_t *word, uintptr_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static inline uintptr_t word_exchange(uintptr_t *word, uintptr_t value) {
  return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
}

static inline bool word_compare_exchange(uintptr_t *word, uintptr_t *expected, uintptr_t desired) {
  return __atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// Returns the sum.
static inline uintptr_t word_add(uintptr_t *word, uintptr_t value) {
  return __atomic_add_fetch(word, value, __ATOMIC_ACQ_REL);
}
