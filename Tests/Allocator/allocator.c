// Holds the allocator of the static query program to the C standard's rules for malloc: Tests/Allocator/run.sh.
#define main start_of_shardq
#include "../../Sources/Hosts/Embedded/main.c"
#undef main
#include <stdio.h>

_Noreturn void shardq_main(char **arguments, int count) {
  (void)arguments, (void)count;
  abort();
}

static int failures;
#define CHECK(isRight) \
  do { \
    if (!(isRight)) { \
      if (failures++ < 20) printf("line %d: %s\n", __LINE__, #isRight); \
    } \
  } while (0)

static void small_cases(void) {
  // No other block has the address of a block of size 0, and freeing that block frees no other.
  void *a = malloc(0), *b = malloc(16);
  CHECK(a && b && a != b);
  free(a);
  void *c = malloc(16);
  CHECK(c != b);
  free(c);
  void *d = malloc(16), *e = malloc(0), *f = malloc(0);
  CHECK(d == c && d != b && e != f && e != d && e != b);

  // The last block freed is reused; the one before it is not.
  void *g = malloc(100);
  free(g);
  CHECK(malloc(100) == g);
  free(b);
  CHECK(malloc(16) != b);

  // realloc keeps the content of the block, and nothing from behind it.
  char *h = malloc(24);
  memset(h, 'h', 24);
  char *behind = malloc(2000);
  memset(behind, 'X', 2000);
  char *sound = malloc(4000);
  memset(sound, 0, 4000);
  free(sound);
  char *grown = realloc(h, 4000);
  CHECK(grown == sound && !memchr(grown, 'X', 4000));
  for (int at = 0; at < 24; at++) CHECK(grown[at] == 'h');
  char *less = realloc(grown, 3);
  CHECK(!memcmp(less, "hhh", 3));
  char *none = realloc(less, 0);
  CHECK(none != behind && none != less);
  char *from_null = realloc(NULL, 40);
  CHECK(from_null);
  memset(from_null, 1, 40);
  free(from_null);
  free(NULL);

  // realloc from this allocator to musl's, and back.
  char *small = malloc(10);
  memcpy(small, "123456789", 10);
  char *large = realloc(small, LARGEST + 1);
  CHECK(!is_here(large) && !strcmp(large, "123456789"));
  large = realloc(large, 10);
  CHECK(!strcmp(large, "123456789"));
  free(large);

  // Products that overflow, and sizes above all memory.
  volatile size_t huge = SIZE_MAX;
  CHECK(!calloc(huge / 2, 3) && !calloc(3, huge / 2) && !calloc(huge, huge));
  CHECK(!malloc(huge) && !malloc(huge - 64) && !aligned_alloc(64, huge - 63));
  char *kept = malloc(8);
  memcpy(kept, "kept", 5);
  CHECK(!realloc(kept, huge) && !strcmp(kept, "kept"));

  char *zeros = malloc(500);
  memset(zeros, 'z', 500);
  free(zeros);
  char *cleared = calloc(50, 10);
  CHECK(cleared == zeros);
  for (int at = 0; at < 500; at++) CHECK(!cleared[at]);
  CHECK(calloc(0, 8) != calloc(8, 0));

  void *block = &block;
  CHECK(posix_memalign(&block, 3, 8) == EINVAL && posix_memalign(&block, 0, 8) == EINVAL && block == &block);
  CHECK(posix_memalign(&block, 64, huge - 63) == ENOMEM && block == &block);
}

enum { LIVE = 200 };
static struct { unsigned char *start; size_t size; unsigned char value; } live[LIVE];

static void verify(int at) {
  for (size_t byte = 0; byte < live[at].size; byte++) {
    if (live[at].start[byte] != live[at].value) { CHECK(!"another block wrote into this one"); return; }
  }
}

// Empties the arena, so that later rounds use it too.
static void forget(void) {
  for (int at = 0; at < LIVE; at++) {
    if (is_here(live[at].start)) live[at].start = NULL;
  }
  used = ALIGNMENT - sizeof(Head);
}

// Blocks of random sizes are allocated, resized and freed: no two share a byte or an address; each keeps its content.
static void random_operations(unsigned seed) {
  forget();
  for (int round = 0; round < 20000; round++) {
    seed = seed * 1664525 + 1013904223;
    int at = (seed >> 16) % LIVE, kind = (seed >> 8) % 8;
    seed = seed * 1664525 + 1013904223;
    size_t sizes[] = {0, 1, 8, 15, 16, 17, 100, 1000, LARGEST, LARGEST + 1};
    size_t size = sizes[(seed >> 16) % (round % 50 ? 7 : 10)], alignment = ALIGNMENT;
    unsigned char *start = live[at].start;
    if (start && kind < 4) {
      verify(at);
      free(start);
      live[at].start = NULL;
      if (used > ARENA - 2000) forget();
      continue;
    }
    if (start) {
      verify(at);
      if (!is_here(start) && !size) size = 1;  // There glibc's realloc, which stands for musl's here, frees.
      size_t same = size < live[at].size ? size : live[at].size;
      unsigned char *moved = realloc(start, size);
      for (size_t byte = 0; byte < same; byte++) CHECK(moved[byte] == live[at].value);
      start = moved;
    } else if (kind == 4) {
      start = calloc(1, size);
      for (size_t byte = 0; byte < size; byte++) CHECK(!start[byte]);
    } else if (kind == 5) {
      alignment = (size_t)8 << (seed % 5);
      start = aligned_alloc(alignment, size);
    } else if (kind == 6) {
      void *block = NULL;
      alignment = (size_t)8 << (seed % 5);
      CHECK(posix_memalign(&block, alignment, size) == 0);
      start = block;
    } else {
      start = malloc(size);
    }
    CHECK(start && (uintptr_t)start % alignment == 0);
    CHECK(!is_here(start) || (size_t)((char *)start - arena) + size <= ARENA);
    for (int other = 0; other < LIVE; other++) {
      if (other == at || !live[other].start) continue;
      CHECK(start != live[other].start);
      CHECK(start + size <= live[other].start || live[other].start + live[other].size <= start);
    }
    live[at].start = start;
    live[at].size = size;
    live[at].value = (unsigned char)(seed >> 24);
    memset(start, live[at].value, size);
  }
}

int main(void) {
  small_cases();
  for (unsigned seed = 1; seed <= 20; seed++) random_operations(seed);
  printf(failures ? "the allocator: %d failures\n" : "the allocator is sound\n", failures);
  return failures != 0;
}
