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

#endif
