#ifndef SHARDQ_MALLOC_SETTINGS_H
#define SHARDQ_MALLOC_SETTINGS_H

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* Has blocks from 256 KiB on given back to the system when they are freed, whichever thread had them; where that is not
   so already. */
static inline void return_large_blocks(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_ARENA_MAX, 4);
#endif
}

/* Gives memory back to the system that was freed in the midst of other memory. */
static inline void return_free_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

/* Has blocks from a megabyte on given back to the system when they are freed, however large they were before: unless it is
   told, glibc keeps blocks as large as the largest that was freed, up to 32 MiB, and twice that beside. */
static inline void return_megabytes(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

#endif
