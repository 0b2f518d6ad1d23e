#ifndef SHARDQ_MALLOC_SETTINGS_H
#define SHARDQ_MALLOC_SETTINGS_H

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* From now on free() gives blocks of 256 KiB or more back to the system, whichever thread allocated them. */
static inline void return_large_blocks(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_ARENA_MAX, 4);
#endif
}

/* Gives freed memory between other blocks back to the system. */
static inline void return_free_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

/* From now on free() gives blocks of 1 MiB or more back to the system. Without this setting glibc keeps blocks up to the
   size of the largest freed block, at most 32 MiB, and twice that size in addition. */
static inline void return_megabytes(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

#endif
