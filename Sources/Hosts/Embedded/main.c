// The start of a shardq without Swift's runtime (Scripts/build-embedded.sh), and the functions that Embedded Swift and
// the C library musl leave to the program.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Sources/shardq/Front.swift.
_Noreturn void shardq_main(char **arguments, int count);

int main(int count, char **arguments) { shardq_main(arguments, count); }

/*
 * The blocks of the program's start lie side by side in this arena: musl's allocator would ask the kernel for pages sixteen
 * times, and would touch twice as many pages. Large blocks come from musl, and all blocks do once the arena is full. A freed
 * block is reused only if it was the last one allocated. There is one thread. The linker replaces malloc and its kin by
 * these functions (--wrap); Tests/Allocator tests them.
 */
enum { ALIGNMENT = 16, ARENA = 128 << 10, LARGEST = 32 << 10 };

// The size of a block stands before the block: so a block of size 0 has its own address, and realloc copies only one
// block.
typedef struct { size_t size; } Head;

static _Alignas(64) char arena[ARENA];
// The start of the free space, always sizeof(Head) before a multiple of ALIGNMENT.
static size_t used = ALIGNMENT - sizeof(Head);
// The start of the last block.
static size_t last;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);

static void *take(size_t alignment, size_t size) {
  if (size > LARGEST || alignment > 64) return NULL;
  size_t start = (used + sizeof(Head) + alignment - 1) & ~(alignment - 1);
  // The next head fits after the block, so that no block begins at the arena's end.
  size_t end = ((start + size + sizeof(Head) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1)) - sizeof(Head);
  if (end > ARENA) return NULL;
  last = start;
  used = end;
  ((Head *)(arena + start))[-1].size = size;
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
  int is_power = alignment && !(alignment & (alignment - 1));
  void *block = is_power ? take(alignment < ALIGNMENT ? ALIGNMENT : alignment, size) : NULL;
  return block ? block : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || alignment & (alignment - 1)) return EINVAL;
  void *found = __wrap_aligned_alloc(alignment, size);
  if (!found) return ENOMEM;
  *block = found;
  return 0;
}

void __wrap_free(void *block) {
  if (!is_here(block)) {
    __real_free(block);
  } else if ((char *)block == arena + last) {
    used = last - sizeof(Head);
  }
}

void *__wrap_realloc(void *block, size_t size) {
  if (!is_here(block)) return __real_realloc(block, size);
  size_t before = ((Head *)block)[-1].size;
  void *moved = __wrap_malloc(size);
  if (!moved) return NULL;
  memcpy(moved, block, size < before ? size : before);
  __wrap_free(block);
  return moved;
}
