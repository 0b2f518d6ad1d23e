// Where shardq begins if it is built without Swift's runtime (Scripts/build-embedded.sh), and what Embedded Swift and
// the C library musl leave to the program.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// Sources/shardq/Front.swift.
_Noreturn void shardq_main(char **arguments, int count);

int main(int count, char **arguments) { shardq_main(arguments, count); }

// Seeds of hash tables.
void arc4random_buf(void *buffer, size_t size) {
  for (char *at = buffer; size > 0;) {
    ssize_t filled = getrandom(at, size, 0);
    if (filled < 0 && errno == EINTR) continue;
    if (filled < 0) abort();
    at += filled;
    size -= (size_t)filled;
  }
}

/*
 * What a start asks malloc for lies side by side here: musl's own would ask the kernel for pages sixteen times, and touch
 * twice as many. Once this is full, and for what is large, there is musl's. What is given back is used again if it is
 * the last that was asked for. There is one thread. Linked in the place of the calls of malloc: --wrap.
 */
enum { ALIGNMENT = 16, ARENA = 128 << 10, LARGEST = 32 << 10 };

static _Alignas(64) char arena[ARENA];
static size_t used;
// Where the last block begins.
static size_t last;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);

static void *take(size_t alignment, size_t size) {
  size_t start = (used + alignment - 1) & ~(alignment - 1);
  if (size > LARGEST || alignment > 64 || start + size > ARENA) return NULL;
  last = start;
  used = (start + size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  return arena + start;
}

static int is_here(const void *block) { return (uintptr_t)block - (uintptr_t)arena < ARENA; }

void *__wrap_malloc(size_t size) {
  void *block = take(ALIGNMENT, size);
  return block ? block : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  size_t all;
  void *block = __builtin_mul_overflow(count, size, &all) ? NULL : take(ALIGNMENT, all);
  return block ? memset(block, 0, all) : __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  void *block = take(alignment < ALIGNMENT ? ALIGNMENT : alignment, size);
  return block ? block : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
  *block = __wrap_aligned_alloc(alignment, size);
  return *block ? 0 : ENOMEM;
}

void __wrap_free(void *block) {
  if (!is_here(block)) {
    __real_free(block);
  } else if ((char *)block == arena + last) {
    used = last;
  }
}

void *__wrap_realloc(void *block, size_t size) {
  if (!is_here(block)) return __real_realloc(block, size);
  // How large it was nobody knows; what lies behind it is readable as far as the arena.
  size_t rest = (size_t)(arena + ARENA - (char *)block);
  void *moved = __real_malloc(size);
  if (moved) memcpy(moved, block, size < rest ? size : rest);
  return moved;
}
